/* What stands between the sandboxed program and WASI: limits that WASI itself does not have.
 *
 * The libc reaches WASI through one function for each of its calls (__wasilibc_real.c, which is
 * compiled with the names below changed to hermes_real_*). Those that write, open or wait are
 * replaced here; output goes to the host itself, since wasmtime would hand it to a thread of its own.
 * Wasm keeps calls to the functions that a module names: whatever a program does to
 * the memory of its interpreter, it can't reach an import except through these.
 */

#include <stdint.h>
#include <wasi/api.h>

#define HOST(name) __attribute__((import_module("hermes"), import_name(#name)))

HOST(print) void host_print(uint32_t stream, const uint8_t *text, uint32_t size);
HOST(may_write) int32_t host_may_write(uint64_t size); /* counts them; 0: that is too much */
HOST(sleep) int32_t host_sleep(uint64_t nanoseconds);  /* 0: the time is up */

enum {
    STDERR = 2,
    OPEN_FILES = 64,   /* descriptors are the lowest free numbers, so the number tells */
    ENTRY_BYTES = 4096, /* what a new name in a folder costs of what may be written */
};

__wasi_errno_t hermes_real_fd_write(
    __wasi_fd_t fd, const __wasi_ciovec_t *parts, size_t count, __wasi_size_t *written);
__wasi_errno_t hermes_real_fd_pwrite(
    __wasi_fd_t fd, const __wasi_ciovec_t *parts, size_t count, __wasi_filesize_t offset,
    __wasi_size_t *written);
__wasi_errno_t hermes_real_fd_filestat_set_size(__wasi_fd_t fd, __wasi_filesize_t size);
__wasi_errno_t hermes_real_path_create_directory(__wasi_fd_t fd, const char *path);
__wasi_errno_t hermes_real_path_open(
    __wasi_fd_t fd, __wasi_lookupflags_t how, const char *path, __wasi_oflags_t flags,
    __wasi_rights_t base, __wasi_rights_t inheriting, __wasi_fdflags_t fd_flags,
    __wasi_fd_t *opened);

static int may_write(uint64_t size)
{
    return size == 0 || host_may_write(size) != 0;
}

static uint64_t size_of(const __wasi_ciovec_t *parts, size_t count)
{
    uint64_t size = 0;
    for (size_t i = 0; i < count; i++) {
        size += parts[i].buf_len;
    }
    return size;
}

/* What a file grows by besides the bytes written at `offset`: a hole takes no room here, but all of
 * it wherever the file is copied to. */
static uint64_t gap_before(__wasi_fd_t fd, __wasi_filesize_t offset)
{
    __wasi_filestat_t found;
    if (__wasi_fd_filestat_get(fd, &found) || offset <= found.size) {
        return 0;
    }
    return offset - found.size;
}

static uint64_t gap_at_position(__wasi_fd_t fd)
{
    __wasi_filesize_t position;
    return __wasi_fd_tell(fd, &position) ? 0 : gap_before(fd, position);
}

__wasi_errno_t __wasi_fd_write(
    __wasi_fd_t fd, const __wasi_ciovec_t *parts, size_t count, __wasi_size_t *written)
{
    if (fd > STDERR) {
        uint64_t size = size_of(parts, count) + gap_at_position(fd);
        return may_write(size) ? hermes_real_fd_write(fd, parts, count, written)
                               : __WASI_ERRNO_NOSPC;
    }
    /* The host keeps as much of the output as it wants, and takes all of it. */
    *written = 0;
    for (size_t i = 0; i < count; i++) {
        host_print(fd, parts[i].buf, parts[i].buf_len);
        *written += parts[i].buf_len;
    }
    return __WASI_ERRNO_SUCCESS;
}

__wasi_errno_t __wasi_fd_pwrite(
    __wasi_fd_t fd, const __wasi_ciovec_t *parts, size_t count, __wasi_filesize_t offset,
    __wasi_size_t *written)
{
    if (!may_write(gap_before(fd, offset) + size_of(parts, count))) {
        return __WASI_ERRNO_NOSPC;
    }
    return hermes_real_fd_pwrite(fd, parts, count, offset, written);
}

__wasi_errno_t __wasi_fd_filestat_set_size(__wasi_fd_t fd, __wasi_filesize_t size)
{
    return may_write(gap_before(fd, size)) ? hermes_real_fd_filestat_set_size(fd, size)
                                           : __WASI_ERRNO_NOSPC;
}

__wasi_errno_t __wasi_fd_allocate(__wasi_fd_t fd, __wasi_filesize_t offset, __wasi_filesize_t size)
{
    (void)fd, (void)offset, (void)size;
    return __WASI_ERRNO_NOTSUP;
}

__wasi_errno_t __wasi_path_create_directory(__wasi_fd_t fd, const char *path)
{
    return may_write(ENTRY_BYTES) ? hermes_real_path_create_directory(fd, path) : __WASI_ERRNO_NOSPC;
}

/* Links would stay in the workspace, for others to follow. */
__wasi_errno_t __wasi_path_symlink(const char *target, __wasi_fd_t fd, const char *path)
{
    (void)target, (void)fd, (void)path;
    return __WASI_ERRNO_PERM;
}

__wasi_errno_t __wasi_path_link(
    __wasi_fd_t from, __wasi_lookupflags_t how, const char *old, __wasi_fd_t to, const char *path)
{
    (void)from, (void)how, (void)old, (void)to, (void)path;
    return __WASI_ERRNO_PERM;
}

/* Pipes and the like, which can come into a workspace by other ways: opening one may take for ever. */
static int is_special(__wasi_fd_t fd, __wasi_lookupflags_t how, const char *path)
{
    __wasi_filestat_t found;
    if (__wasi_path_filestat_get(fd, how, path, &found)) {
        return 0;
    }
    switch (found.filetype) {
    case __WASI_FILETYPE_REGULAR_FILE:
    case __WASI_FILETYPE_DIRECTORY:
    case __WASI_FILETYPE_SYMBOLIC_LINK:
        return 0;
    default:
        return 1;
    }
}

__wasi_errno_t __wasi_path_open(
    __wasi_fd_t fd, __wasi_lookupflags_t how, const char *path, __wasi_oflags_t flags,
    __wasi_rights_t base, __wasi_rights_t inheriting, __wasi_fdflags_t fd_flags,
    __wasi_fd_t *opened)
{
    if (is_special(fd, how, path)) {
        return __WASI_ERRNO_NOTSUP;
    }
    if (flags & __WASI_OFLAGS_CREAT && !may_write(ENTRY_BYTES)) {
        return __WASI_ERRNO_NOSPC;
    }
    __wasi_errno_t error = hermes_real_path_open(
        fd, how, path, flags, base, inheriting, fd_flags, opened);
    if (!error && *opened >= OPEN_FILES) {
        (void)!__wasi_fd_close(*opened);
        return __WASI_ERRNO_MFILE;
    }
    return error;
}

/* Only to sleep: the host can't end a program that waits in WASI itself. */
__wasi_errno_t __wasi_poll_oneoff(
    const __wasi_subscription_t *asked, __wasi_event_t *happened, __wasi_size_t count,
    __wasi_size_t *events)
{
    if (count != 1 || asked->u.tag != __WASI_EVENTTYPE_CLOCK) {
        return __WASI_ERRNO_NOTSUP;
    }
    __wasi_timestamp_t wait = asked->u.u.clock.timeout;
    if (asked->u.u.clock.flags & __WASI_SUBCLOCKFLAGS_SUBSCRIPTION_CLOCK_ABSTIME) {
        __wasi_timestamp_t now;
        __wasi_errno_t error = __wasi_clock_time_get(asked->u.u.clock.id, 1, &now);
        if (error) {
            return error;
        }
        wait = wait > now ? wait - now : 0;
    }
    if (!host_sleep(wait)) {
        for (;;) { /* the engine ends this: the deadline has passed */
        }
    }
    *happened = (__wasi_event_t){.userdata = asked->userdata, .type = __WASI_EVENTTYPE_CLOCK};
    *events = 1;
    return __WASI_ERRNO_SUCCESS;
}
