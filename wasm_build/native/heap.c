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
 *
 * What start-up itself allocates follows a plan that the builder writes here before it runs the
 * module (`hot_objects.py`): first each object gets a page of its own, to find out by its number
 * which ones a working agent writes to (reference counts, mostly); the second time those few are
 * put side by side. Start-up allocates the same things in the same order each time.
 */

#include <Python.h>
#include <malloc.h>
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
    COVERED = 1 << 18, /* pages: the first GiB */
    HOT = 254,       /* in page_class: blocks of any size behind a header, never used twice */
    ALONE = 255,     /* in page_class: one block, whose number is at the end of the page */
    PLANNED_SIZE = 2048,
    PLANNED_COUNT = 1 << 20,
    HEATS = 4, /* 0: not written to; else the higher the more often */
};

enum plan_mode { NO_PLAN, EACH_ALONE, HOT_TOGETHER };

static struct {
    uint32_t mode;
    uint32_t count; /* of requests so far */
    uint8_t heat[PLANNED_COUNT / 4]; /* two bits for each request */
} plan;

typedef struct {
    uint32_t mark; /* so that the builder knows such a page */
    uint32_t number;
    uint32_t size; /* of the block, as asked for by the plan */
} page_label;

typedef struct {
    uint32_t size;
    uint32_t unused; /* keeps blocks at multiples of 8 */
} hot_header;

typedef struct block {
    struct block *next;
} block;

static uint8_t page_class[COVERED];
static block *free_blocks[CLASSES];
static char *fresh[CLASSES]; /* the unused end of the newest page of a class */
static char *fresh_end[CLASSES];
static char *chunk, *chunk_end; /* pages that have no class yet */

static block *lone_pages;
static char *hot[HEATS], *hot_end[HEATS];

static unsigned class_of(const void *p)
{
    uintptr_t page = (uintptr_t)p >> PAGE_BITS;
    return page < COVERED ? page_class[page] : 0;
}

/* The next page, entered under `class`; NULL if the rest of memory is malloc's. */
static char *new_page(unsigned class)
{
    if (chunk == chunk_end) {
        char *more = sbrk(CHUNK);
        if (more == (char *)-1 || ((uintptr_t)more + CHUNK) >> PAGE_BITS > COVERED) {
            return NULL;
        }
        chunk = more;
        chunk_end = more + CHUNK;
    }
    char *page = chunk;
    chunk += PAGE;
    page_class[(uintptr_t)page >> PAGE_BITS] = (uint8_t)class;
    return page;
}

static void *lone_block(uint32_t number, uint32_t size)
{
    char *page = (char *)lone_pages;
    if (page) {
        lone_pages = lone_pages->next;
    } else if (!(page = new_page(ALONE))) {
        return NULL;
    }
    page_label *label = (page_label *)(page + PAGE) - 1;
    label->mark = 0x0a110ce5;
    label->number = number;
    label->size = size;
    return page;
}

static void *hot_block(unsigned heat, uint32_t size)
{
    uint32_t needed = sizeof(hot_header) + ((size + 7) & ~7u);
    if ((size_t)(hot_end[heat] - hot[heat]) < needed) {
        char *page = new_page(HOT);
        if (!page) {
            return NULL;
        }
        hot[heat] = page;
        hot_end[heat] = page + PAGE;
    }
    hot_header *header = (hot_header *)hot[heat];
    header->size = size;
    hot[heat] += needed;
    return header + 1;
}

/* NULL: the plan has nothing to say about this request. */
static void *planned_block(size_t size)
{
    if (size > PLANNED_SIZE) {
        return NULL;
    }
    if (size <= SMALL) { /* the same room as without a plan, so that realloc decides alike */
        size = size ? (size + GRAIN - 1) / GRAIN * GRAIN : GRAIN;
    }
    uint32_t number = plan.count++;
    if (plan.mode == EACH_ALONE) {
        return lone_block(number, (uint32_t)size);
    }
    unsigned heat = number < PLANNED_COUNT ? plan.heat[number / 4] >> number % 4 * 2 & 3 : 0;
    return heat ? hot_block(heat, (uint32_t)size) : NULL;
}

/* How many bytes a block of ours has; 0 for one of malloc's. */
static size_t room_of(const void *p)
{
    unsigned class = class_of(p);
    switch (class) {
    case HOT: return ((const hot_header *)p - 1)->size;
    case ALONE: return ((const page_label *)((const char *)p + PAGE) - 1)->size;
    default: return class * GRAIN;
    }
}

static void *small_malloc(void *context, size_t size)
{
    (void)context;
    if (plan.mode) {
        void *planned = planned_block(size);
        if (planned) {
            return planned;
        }
    }
    if (size > SMALL) {
        return malloc(size);
    }
    unsigned class = size ? (unsigned)(size + GRAIN - 1) / GRAIN : 1;
    block *found = free_blocks[class];
    if (found) {
        free_blocks[class] = found->next;
        return found;
    }
    if (fresh[class] == fresh_end[class]) {
        char *page = new_page(class);
        if (!page) {
            return malloc(size ? size : 1);
        }
        fresh[class] = page;
        fresh_end[class] = page + PAGE / (class * GRAIN) * (class * GRAIN);
    }
    void *block = fresh[class];
    fresh[class] += class * GRAIN;
    return block;
}

static void small_free(void *context, void *p)
{
    (void)context;
    unsigned class = class_of(p);
    if (class == HOT) {
        return; /* nearly all of them live as long as the agent */
    }
    if (!class) {
        free(p);
        return;
    }
    block **list = class == ALONE ? &lone_pages : &free_blocks[class];
    block *freed = p;
    freed->next = *list;
    *list = freed;
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
    size_t room = room_of(p);
    if (!room && size > SMALL && !plan.mode) {
        return realloc(p, size);
    }
    /* Under a plan whatever is not small moves: it may be malloc's in one run and not in the other. */
    if (size <= room && size > room / 2 && (room <= SMALL || !plan.mode)) {
        return p;
    }
    if (!room) {
        room = malloc_usable_size(p);
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
    plan.mode = NO_PLAN; /* the count stays: the builder compares it between its two runs */
    memset(plan.heat, 0, sizeof plan.heat);
    lone_pages = NULL;
    memset(hot, 0, sizeof hot);
    memset(hot_end, 0, sizeof hot_end);
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

/* Where the builder writes its plan, before _start. */
__attribute__((export_name("agent_plan"))) void *agent_plan(void)
{
    return &plan;
}
