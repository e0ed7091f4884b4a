/* What the link lacks under WASI, or gets wrong. */

#include <stddef.h>
#include <time.h>

/* libpython and Nuitka refer to a dynamic loader, which WASI does not have. */
void *dlopen(const char *file, int mode) { (void)file; (void)mode; return NULL; }
void *dlsym(void *handle, const char *name) { (void)handle; (void)name; return NULL; }
char *dlerror(void) { return "WASI has no dynamic loader"; }

/* Under -flto the libc's own localtime_r writes through a null pointer, and `import time` dies of
 * it ("invalid GMT offset"). There are no time zones in the sandbox: local time is UTC. */
struct tm *localtime_r(const time_t *restrict when, struct tm *restrict parts)
{
    return gmtime_r(when, parts);
}
