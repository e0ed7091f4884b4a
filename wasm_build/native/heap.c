/* Python's allocator for small objects, made for memory that is shared until it is written to.
 *
 * All agents start from one image; a page costs an agent memory as soon as it writes to it. The
 * libc's malloc (emmalloc) keeps its lists in the free regions themselves and cycles through them
 * at every request, so that an agent soon owns a copy of half the heap. Here objects of up to 512
 * bytes come from pages that hold one size only, free blocks are chained in the order of last use,
 * and nothing is written but the block in hand. `seal_heap` is called before the image is taken:
 * what is free then is never used again, so that a live agent's objects lie side by side in
 * memory of its own. It is also faster: no splitting, no joining, no headers.
 *
 * Pages stay with their size for good. Larger requests, and everything once the heap has grown
 * beyond what `page_class` covers, go to malloc.
 */

#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    GRAIN = 16,
    SMALL = 512,
    CLASSES = SMALL / GRAIN + 1, /* class c: blocks of c * GRAIN bytes; 0: not ours */
    PAGE_BITS = 12,
    PAGE = 1 << PAGE_BITS,
    CHUNK = 65536,   /* what is taken from the system at a time: one Wasm page */
    COVERED = 65536, /* pages: the first 256 MiB */
};

typedef struct block {
    struct block *next;
} block;

static uint8_t page_class[COVERED];
static block *free_blocks[CLASSES];
static char *fresh[CLASSES]; /* the unused end of the newest page of a class */
static char *fresh_end[CLASSES];
static char *chunk, *chunk_end; /* pages that have no class yet */

static unsigned class_of(const void *p)
{
    uintptr_t page = (uintptr_t)p >> PAGE_BITS;
    return page < COVERED ? page_class[page] : 0;
}

static int add_page(unsigned class)
{
    if (chunk == chunk_end) {
        char *more = sbrk(CHUNK);
        if (more == (char *)-1 || ((uintptr_t)more + CHUNK) >> PAGE_BITS > COVERED) {
            return 0; /* the rest of memory is malloc's */
        }
        chunk = more;
        chunk_end = more + CHUNK;
    }
    page_class[(uintptr_t)chunk >> PAGE_BITS] = (uint8_t)class;
    fresh[class] = chunk;
    fresh_end[class] = chunk + PAGE / (class * GRAIN) * (class * GRAIN);
    chunk += PAGE;
    return 1;
}

static void *small_malloc(void *context, size_t size)
{
    (void)context;
    if (size > SMALL) {
        return malloc(size);
    }
    unsigned class = size ? (unsigned)(size + GRAIN - 1) / GRAIN : 1;
    block *found = free_blocks[class];
    if (found) {
        free_blocks[class] = found->next;
        return found;
    }
    if (fresh[class] == fresh_end[class] && !add_page(class)) {
        return malloc(size ? size : 1);
    }
    void *block = fresh[class];
    fresh[class] += class * GRAIN;
    return block;
}

static void small_free(void *context, void *p)
{
    (void)context;
    unsigned class = class_of(p);
    if (!class) {
        free(p);
        return;
    }
    block *freed = p;
    freed->next = free_blocks[class];
    free_blocks[class] = freed;
}

static void *small_calloc(void *context, size_t count, size_t each)
{
    size_t size;
    if (__builtin_mul_overflow(count, each, &size)) {
        return NULL;
    }
    void *p = small_malloc(context, size);
    return p ? memset(p, 0, size) : NULL;
}

static void *small_realloc(void *context, void *p, size_t size)
{
    if (!p) {
        return small_malloc(context, size);
    }
    unsigned class = class_of(p);
    if (!class && size > SMALL) {
        return realloc(p, size);
    }
    size_t room = class ? class * GRAIN : size; /* a large block that shrinks has more than size */
    if (class && size <= room && size > room / 2) {
        return p;
    }
    void *moved = small_malloc(context, size);
    if (moved) {
        memcpy(moved, p, size < room ? size : room);
        small_free(context, p);
    }
    return moved;
}

__attribute__((constructor)) static void use_small_blocks(void)
{
    PyMemAllocatorEx ours = {NULL, small_malloc, small_calloc, small_realloc, small_free};
    PyMem_SetAllocator(PYMEM_DOMAIN_OBJ, &ours);
    PyMem_SetAllocator(PYMEM_DOMAIN_MEM, &ours);
}

static void forget_small_blocks(void)
{
    for (unsigned class = 1; class < CLASSES; class++) {
        while (free_blocks[class]) {
            block *unused = free_blocks[class];
            free_blocks[class] = unused->next;
            memset(unused, 0, class * GRAIN); /* blank pages are not in the image */
        }
        fresh[class] = fresh_end[class] = NULL;
    }
    chunk = chunk_end = NULL;
}

/* Take what malloc has free below the end of the heap. A request looks at one region of a list
 * only, and moves it to the back if it does not fit, hence several tries. */
static void plug_holes(void)
{
    enum { LARGEST = 1 << 20, SMALLEST = 8, STEP = 8, TRIES = 64 };
    char *end = malloc(LARGEST);
    free(end);
    for (size_t size = LARGEST / 2; end && size >= SMALLEST; size = size > 4096 ? size / 2 : size - STEP) {
        for (int tries = 0; tries < TRIES;) {
            char *hole = malloc(size);
            if (hole && hole < end) {
                memset(hole, 0, size);
            } else {
                free(hole);
                tries++;
            }
        }
    }
}

void seal_heap(void)
{
    forget_small_blocks();
    plug_holes();
}
