/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nalm probe: counters for any network function. Header only, C11 or C++14, needs no DPDK.
 *
 * Use:
 *
 *   nalm_probe_open()   maps one file (or anonymous memory) and names the NF's stages and outcomes
 *   nalm_lcore_claim()  gives the calling thread its own block: one writer per block
 *   loop:
 *     while (nalm_probe_gate(lc)) {       once per iteration; parks between turns when an agent holds the gate
 *         n = rx();      nalm_probe_mark(lc, RX, n);       all cycles since the last mark were RX's
 *         n = nat(n);    nalm_probe_mark(lc, NAT, n);      n: packets the stage was handed
 *         nalm_probe_outcome(lc, NAT, NAT_NO_PORT, k);     k of them ended like this
 *         nalm_probe_commit(lc, packets);                  publishes the iteration, in one piece
 *     }
 *
 * Every cycle between two gates belongs to exactly one stage, so the stages add up to the lcore's time. The cost of
 * publishing counts for the first stage marked in the next iteration. An iteration without packets is idle as a whole.
 * Stages flagged NALM_STAGE_APART (a traffic generator sharing the lcore) are counted, but are neither busy nor idle.
 *
 * While the agent measures latency, long marks are counted by their length (nalm_length_block): they tell which stage
 * made packets wait.
 *
 * The probe also publishes the core's speed at each turn's begin and end, measured without a PMU (nalm_core_speed);
 * packet buffers in use at each turn's end, if the NF names a function for it (nalm_probe_buffers); and hardware events
 * per stage, if the NF also includes nalm_probe_papi.h.
 *
 * An iteration may have any number of marks and outcomes. Beyond NALM_PROBE_MAX_PENDING, those of a stage become one:
 * cycles, packets and outcomes stay right, the numbers and sizes of batches do not, and merged_marks counts them.
 *
 * Readers: the agent through the file while the NF runs, gdb and core dumps (by nalm_probe_header), DPDK telemetry. To
 * read a block consistently, read seq until it is even, copy, read seq again, and retry if it changed. The counters are
 * within 2 kB, apart from events and histograms, so that a copy fits between two iterations.
 *
 * The layout below is version NALM_PROBE_VERSION and is asserted. Version 4 is version 3 with room for 64 stages: an NF
 * that has more than 16 defines NALM_PROBE_MAX_STAGES as 64 before it includes this header, in every file. Version 2
 * differs from 3 in its batches only: it has those of stages, with sizes to 256, counts before cycles.
 */
#ifndef NALM_PROBE_H
#define NALM_PROBE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if !defined(NALM_PROBE_NO_VALGRIND) && defined(__has_include)
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define NALM_HAVE_CALLGRIND 1
#endif
#endif

#ifdef __cplusplus
extern "C" {
#define NALM_STATIC_ASSERT static_assert
#else
#define NALM_STATIC_ASSERT _Static_assert
#endif

#define NALM_PROBE_MAGIC 0x4d4c414eu /* "NALM" read as a little-endian word */
#define NALM_PROBE_MAX_LCORES 64
#ifndef NALM_PROBE_MAX_STAGES
#define NALM_PROBE_MAX_STAGES 16
#endif
#if NALM_PROBE_MAX_STAGES == 16
#define NALM_PROBE_VERSION 3u
#elif NALM_PROBE_MAX_STAGES == 64
#define NALM_PROBE_VERSION 4u
#else
#error "nalm probe: NALM_PROBE_MAX_STAGES is 16 or 64"
#endif
#define NALM_PROBE_MAX_OUTCOMES 12
#define NALM_PROBE_MAX_BATCH 1024 /* larger batches are counted as 1024 */
#define NALM_PROBE_LENGTHS 32 /* longer marks are counted with the longest: a second */
#define NALM_PROBE_NAME 32
#ifndef NALM_PROBE_MAX_PENDING /* an NF with longer iterations may define it, in every file that includes this one */
#define NALM_PROBE_MAX_PENDING (16 * NALM_PROBE_MAX_STAGES) /* marks, and outcomes, kept apart between two commits */
#endif
#if NALM_PROBE_MAX_PENDING <= NALM_PROBE_MAX_STAGES * NALM_PROBE_MAX_OUTCOMES /* merging equal ones makes room */
#error "nalm probe: NALM_PROBE_MAX_PENDING is less than the stages' outcomes"
#endif
#define NALM_PROBE_MAX_EVENTS 8
#define NALM_PROBE_EVENT_STATE 96
#define NALM_PROBE_COUNTED "counted"

/* The outcome of a packet in a stage. The kind determines whether the packet counts in CPP's denominator. */
enum nalm_outcome_kind {
	NALM_KIND_PASS = 0,   /* goes on to the next stage */
	NALM_KIND_SENT = 1,   /* left the NF: counts */
	NALM_KIND_POLICY = 2, /* dropped because a rule says so: counts */
	NALM_KIND_LOST = 3,   /* dropped for want of a resource (a full ring, no free port) */
	NALM_KIND_BAD = 4,    /* malformed, unsupported or not deliverable: dropped with its name */
};

enum nalm_stage_flag {
	NALM_STAGE_APART = 1u, /* not the NF's own work: a generator or sink sharing the lcore */
};

enum nalm_gate {
	NALM_GATE_CLOSED = 0, /* lcores park at their next iteration */
	NALM_GATE_OPEN = 1,
	NALM_GATE_FINISH = 2, /* lcores leave their loop; the NF ends cleanly */
};

enum nalm_lcore_state {
	NALM_LCORE_UNUSED = 0,
	NALM_LCORE_RUNNING = 1,
	NALM_LCORE_PARKED = 2,
	NALM_LCORE_FINISHED = 3,
};

struct nalm_outcome_name {
	char name[NALM_PROBE_NAME];
	uint32_t kind; /* enum nalm_outcome_kind */
	uint32_t reserved;
};

struct nalm_stage_name {
	char name[NALM_PROBE_NAME];
	uint32_t flags; /* enum nalm_stage_flag */
	uint32_t outcome_count;
	struct nalm_outcome_name outcomes[NALM_PROBE_MAX_OUTCOMES];
};

/* A requested event. state: NALM_PROBE_COUNTED, or in words why it is not counted. */
struct nalm_event_name {
	char name[NALM_PROBE_NAME];
	char state[NALM_PROBE_EVENT_STATE];
};

/* Written by the NF before the magic is set, events before the first lcore claims its block; constant afterwards. */
enum nalm_ability {
	NALM_CAN_BARE = 1u,  /* turns without marks: nalm_probe_bare_turns() */
	NALM_CAN_MERGE = 2u, /* no mark or outcome is lost, however many an iteration has */
	NALM_CAN_LONG = 4u,  /* counts long marks: the control's long_cycles, the lcore's lengths */
};

struct nalm_header {
	uint32_t magic; /* set last, with release order: a reader that sees it sees the rest */
	uint32_t version;
	uint32_t header_bytes;
	uint32_t control_offset;
	uint32_t lcore_offset;
	uint32_t lcore_bytes;
	uint32_t lcore_max;
	uint32_t stage_count;
	uint64_t file_bytes;
	uint64_t tsc_hz;
	uint64_t pid;
	uint64_t started_realtime_ns;
	char nf[64];
	struct nalm_stage_name stages[NALM_PROBE_MAX_STAGES];
	uint32_t event_count;
	uint32_t abilities; /* enum nalm_ability; 0 in older files */
	struct nalm_event_name events[NALM_PROBE_MAX_EVENTS];
};

/* Written only by the agent. gate is the futex word on which lcores wait. */
struct nalm_control {
	uint32_t gate;         /* enum nalm_gate */
	uint32_t turn;         /* number of the turn; the agent raises it before it opens the gate */
	uint64_t turn_packets; /* an lcore parks once it has committed this many packets in the turn; 0: no limit */
	uint32_t bare;	       /* 1: the turn has no marks; for NFs with NALM_CAN_BARE */
	uint32_t reserved_word;
	uint64_t long_cycles; /* marks of at least so many cycles are counted by length in the turn; 0: none */
	uint8_t reserved[32];
};

/* One stage on one lcore. Raw, cumulative. */
struct nalm_stage_block {
	uint64_t cycles;  /* TSC cycles in iterations that handled a packet */
	uint64_t packets; /* packets handed to the stage */
	uint64_t batches; /* marks with at least one packet */
	uint64_t outcomes[NALM_PROBE_MAX_OUTCOMES];
};

/* Events of one lcore, in the header's order. Raw, cumulative; those not in event_mask stay 0 and mean nothing. */
struct nalm_event_block {
	uint64_t reading[NALM_PROBE_MAX_EVENTS]; /* what one reading of the events adds to the next mark */
	uint64_t marks[NALM_PROBE_MAX_STAGES];	 /* readings in stages[]: marks in iterations that handled a packet */
	uint64_t stages[NALM_PROBE_MAX_STAGES][NALM_PROBE_MAX_EVENTS];
	uint64_t busy[NALM_PROBE_MAX_EVENTS]; /* as busy_cycles, idle_cycles and apart_cycles */
	uint64_t idle[NALM_PROBE_MAX_EVENTS];
	uint64_t apart[NALM_PROBE_MAX_EVENTS];
};

/* Batches of one size. */
struct nalm_batches {
	uint64_t count;
	uint64_t cycles; /* service time */
};

/* Batches on one lcore, by size. Blocks of consecutive stages differ in the cache set of equal sizes. */
struct nalm_batch_block {
	struct nalm_batches sizes[NALM_PROBE_MAX_BATCH + 1];
	uint64_t reserved[6];
};

/* Marks of one stage on one lcore by the binary logarithm of their cycles, rounded down; of every iteration, also of
 * those without packets. */
struct nalm_length_block {
	struct nalm_batches marks[NALM_PROBE_LENGTHS];
};

/* One lcore's counters: its writer is the thread that claimed it. */
struct nalm_counter_block {
	uint64_t seq; /* odd while being written */
	uint32_t state;
	uint32_t parked_turn; /* number of the turn after which it parked */
	uint32_t lcore_id;
	int32_t tid; /* kernel thread id */
	uint64_t iterations;
	uint64_t packets;     /* handed to commit */
	uint64_t busy_cycles; /* stages that are not apart, iterations with packets */
	uint64_t idle_cycles; /* iterations without packets, apart stages excluded */
	uint64_t idle_polls;
	uint64_t apart_cycles; /* stages flagged apart, all iterations */
	/* Turns: from the gate's opening to parking, by clocks independent of the TSC marks. */
	uint64_t turns;
	uint64_t turn_tsc_cycles;
	uint64_t turn_wall_ns; /* CLOCK_MONOTONIC */
	uint64_t turn_cpu_ns;  /* CLOCK_THREAD_CPUTIME_ID */
	uint64_t turn_voluntary_switches;
	uint64_t turn_involuntary_switches;
	uint64_t turn_minor_faults;
	uint64_t turn_major_faults;
	/* Of the last turn, by nalm_core_speed() before its begin and after its end; 0: not measured. */
	uint64_t turn_begin_tsc_per_million_adds;
	uint64_t turn_end_tsc_per_million_adds;
	uint64_t buffers;	 /* the process's packet buffers in use when this lcore ended its last turn */
	uint64_t buffers_at_tsc; /* when that was: of several lcores the latest counts; 0: unknown */
	uint32_t event_mask;	 /* bit i: the header's event i is counted on this lcore */
	uint32_t merged_marks;	 /* beyond NALM_PROBE_MAX_PENDING: their batch is part of another one of the stage */
	struct nalm_stage_block stages[NALM_PROBE_MAX_STAGES];
};

struct nalm_lcore_block {
	struct nalm_counter_block counters;
	struct nalm_event_block events; /* also written under counters.seq, like the next */
	struct nalm_batch_block iterations; /* those with packets, by their packets; cycles as in busy_cycles */
	struct nalm_batch_block batches[NALM_PROBE_MAX_STAGES]; /* marks of each stage */
	struct nalm_length_block lengths[NALM_PROBE_MAX_STAGES]; /* with NALM_CAN_LONG */
};

NALM_STATIC_ASSERT(sizeof(struct nalm_outcome_name) == 40, "layout");
NALM_STATIC_ASSERT(sizeof(struct nalm_stage_name) == 520, "layout");
NALM_STATIC_ASSERT(offsetof(struct nalm_header, stages) == 128, "layout");
NALM_STATIC_ASSERT(sizeof(struct nalm_control) == 64, "layout");
NALM_STATIC_ASSERT(sizeof(struct nalm_stage_block) == 8 * (3 + 12), "layout");
NALM_STATIC_ASSERT(sizeof(struct nalm_batch_block) == 1025 * 16 + 48, "layout");
NALM_STATIC_ASSERT(sizeof(struct nalm_length_block) == 32 * 16, "layout");
NALM_STATIC_ASSERT(offsetof(struct nalm_control, long_cycles) == 24, "layout");
NALM_STATIC_ASSERT(sizeof(struct nalm_event_name) == 128, "layout");
NALM_STATIC_ASSERT(offsetof(struct nalm_header, event_count) == 128 + NALM_PROBE_MAX_STAGES * 520, "layout");
NALM_STATIC_ASSERT(sizeof(struct nalm_event_block) == 8 * (8 + NALM_PROBE_MAX_STAGES * 9 + 3 * 8), "layout");
NALM_STATIC_ASSERT(offsetof(struct nalm_counter_block, stages) == 176, "layout");
NALM_STATIC_ASSERT(offsetof(struct nalm_lcore_block, events) == 176 + NALM_PROBE_MAX_STAGES * 120, "layout");
NALM_STATIC_ASSERT(offsetof(struct nalm_lcore_block, iterations) == 176 + NALM_PROBE_MAX_STAGES * 120 + 8 * (32 + NALM_PROBE_MAX_STAGES * 9),
		   "layout");

/* Header and control, padded to whole pages. */
#define NALM_PROBE_LCORE_OFFSET ((uint32_t)((sizeof(struct nalm_header) + 64u + 4095u) & ~4095u))
#define NALM_PROBE_CONTROL_OFFSET (NALM_PROBE_LCORE_OFFSET - 64u)
#define NALM_PROBE_LCORE_BYTES ((uint32_t)((sizeof(struct nalm_lcore_block) + 4095u) & ~4095u))
NALM_STATIC_ASSERT(sizeof(struct nalm_header) <= NALM_PROBE_CONTROL_OFFSET, "header fits before control");

/* An NF's description of itself. Arrays end with a NULL name. */
struct nalm_outcome_spec {
	const char *name;
	enum nalm_outcome_kind kind;
};
struct nalm_stage_spec {
	const char *name;
	uint32_t flags;
	const struct nalm_outcome_spec *outcomes; /* may be NULL */
};

struct nalm_lcore;

#if NALM_PROBE_MAX_STAGES <= 32
typedef uint32_t nalm_stage_mask; /* bit s: stage s */
#else
typedef uint64_t nalm_stage_mask;
#endif

struct nalm_probe {
	struct nalm_header *header;
	struct nalm_control *control;
	uint8_t *base;
	int file;	  /* descriptor; -1: anonymous memory */
	uint32_t claimed; /* atomic, relaxed: only assigns indexes */
	uint32_t in_turn; /* atomic, relaxed: lcores in a turn; the last one that leaves stops callgrind */
	uint32_t counted; /* atomic, relaxed: number of the turn that callgrind counts: the last one */
	uint64_t (*buffers)(void *arg);
	void *buffers_arg;
	void (*attach_events)(struct nalm_lcore *lc); /* nalm_probe_papi.h: starts the calling thread's events */
};

/* Lets a debugger find the last opened probe in a running process or a core dump, without debug information. The
 * program has one, however many files include this header. */
extern struct nalm_header *nalm_probe_header;
__attribute__((weak)) struct nalm_header *nalm_probe_header;

/* One thread's handle. Data between two commits is private to the thread. */
struct nalm_lcore {
	struct nalm_lcore_block *block;
	struct nalm_control *control;
	struct nalm_probe *probe;
	nalm_stage_mask apart_mask;
	uint32_t mark_count;
	uint32_t pending_count;
	uint32_t event_count; /* 0: no events are read */
	bool running;	      /* a turn has been entered */
	bool bare;	      /* the turn has no marks */
	uint64_t long_cycles; /* marks of at least so many cycles are counted by length */
	uint64_t last_tsc;
	uint64_t turn_packets; /* committed since the gate opened */
	struct {
		uint32_t stage, packets;
		uint64_t cycles;
	} marks[NALM_PROBE_MAX_PENDING];
	/* Events of the iteration, and readings of them. They keep marks and outcomes from being 4 kB apart, which would delay
	 * each other's loads and stores. */
	uint64_t stage_events[NALM_PROBE_MAX_STAGES][NALM_PROBE_MAX_EVENTS];
	uint32_t stage_readings[NALM_PROBE_MAX_STAGES];
	struct {
		uint16_t stage, outcome;
		uint32_t packets;
	} pending[NALM_PROBE_MAX_PENDING];
	/* at the gate's opening */
	uint64_t start_tsc, start_wall_ns, start_cpu_ns, start_speed;
	struct rusage start_usage;
	/* Events, if any are read. */
	void (*read_events)(const struct nalm_lcore *lc, uint64_t values[NALM_PROBE_MAX_EVENTS]);
	int event_set; /* the source's handle */
	uint64_t last_events[NALM_PROBE_MAX_EVENTS];
};

static inline uint64_t nalm_tsc(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc(); /* <x86intrin.h> would take half a second of the compiler's time */
#elif defined(__aarch64__)
	uint64_t ticks;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
#error "nalm probe: no cycle counter known for this processor"
#endif
}

static inline uint64_t nalm_clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#define NALM_SPEED_ADDS 4096u
#define NALM_SPEED_TRIES 8

/* NALM_SPEED_ADDS additions, each dependent on the previous one: one core cycle each on every processor with a TSC.
 * They are register to register, because some processors eliminate additions of a constant. */
__attribute__((noinline, unused)) static void nalm_add_chain(void)
{
	uint64_t sum = 0, step = 1;
	for (uint32_t i = 0; i < NALM_SPEED_ADDS / 64; i++)
#if defined(__x86_64__)
		__asm__ volatile(".rept 64\n\taddq %1, %0\n\t.endr" : "+r"(sum) : "r"(step) : "cc");
#else
		__asm__ volatile(".rept 64\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(step));
#endif
}

/* The core's speed now, without a PMU: TSC cycles for a million dependent additions, which is a million times TSC rate
 * over core frequency. It is the best of a few tries and takes about ten microseconds; 0 under valgrind, where time has
 * no meaning. */
__attribute__((noinline, unused)) static uint64_t nalm_core_speed(void)
{
	uint64_t best = UINT64_MAX;
#ifdef NALM_HAVE_CALLGRIND
	if (RUNNING_ON_VALGRIND)
		return 0;
#endif
	for (int i = 0; i < NALM_SPEED_TRIES; i++) {
		uint64_t begin = nalm_tsc(), cycles;
		nalm_add_chain();
		cycles = nalm_tsc() - begin;
		best = cycles < best ? cycles : best;
	}
	return best * 1000000u / NALM_SPEED_ADDS;
}

/* TSC rate in Hz, calibrated against CLOCK_MONOTONIC_RAW for 50 ms; for NFs without a better value. */
static inline uint64_t nalm_tsc_hz(void)
{
	const struct timespec part = { 0, 10000000 }; /* a signal may end one early */
	uint64_t wall = nalm_clock_ns(CLOCK_MONOTONIC_RAW), tsc = nalm_tsc(), now;
	do {
		nanosleep(&part, NULL);
		now = nalm_clock_ns(CLOCK_MONOTONIC_RAW);
	} while (now - wall < 50000000u);
	return (uint64_t)((double)(nalm_tsc() - tsc) * 1e9 / (double)(now - wall));
}

static inline struct nalm_lcore_block *nalm_probe_block(const struct nalm_probe *probe, uint32_t index)
{
	return (struct nalm_lcore_block *)(void *)(probe->base + NALM_PROBE_LCORE_OFFSET +
						   (size_t)index * NALM_PROBE_LCORE_BYTES);
}

static inline void nalm_copy_name(char *to, size_t size, const char *from)
{
	size_t n = strlen(from);
	if (n >= size)
		n = size - 1;
	memcpy(to, from, n);
	to[n] = '\0';
}

/* Maps the probe's memory. path NULL: the file named by $NALM_PROBE_FILE, or anonymous memory if it is not set. With a
 * file, $NALM_PROBE_GATE sets the gate's initial state ("closed": wait for an agent; default open). Returns 0, or a
 * negative errno: -E2BIG for more stages or outcomes than the layout holds. */
static inline int nalm_probe_open(struct nalm_probe *probe, const char *nf, const struct nalm_stage_spec *stages,
				  uint64_t tsc_hz, const char *path)
{
	size_t bytes = NALM_PROBE_LCORE_OFFSET + (size_t)NALM_PROBE_MAX_LCORES * NALM_PROBE_LCORE_BYTES;
	static void *volatile shift; /* never freed: it moves what the NF allocates after it */
	const char *gate = getenv("NALM_PROBE_GATE");
	const char *offset = getenv("NALM_PROBE_HEAP_OFFSET");
	uint32_t s, o;
	int file = -1;
	void *map;

	if (offset != NULL && shift == NULL)
		shift = malloc(strtoul(offset, NULL, 10));

	if (path == NULL)
		path = getenv("NALM_PROBE_FILE");
	if (path != NULL && *path != '\0') {
		file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (file < 0)
			return -errno;
		/* A claim allocates its block; the others stay holes. */
		int err = posix_fallocate(file, 0, NALM_PROBE_LCORE_OFFSET);
		if (err == 0 && ftruncate(file, (off_t)bytes) != 0)
			err = errno;
		if (err != 0) {
			close(file);
			return -err;
		}
		map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	} else {
		map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		gate = NULL;
	}
	if (map == MAP_FAILED) {
		int err = errno;
		if (file >= 0)
			close(file);
		return -err;
	}

	probe->base = (uint8_t *)map;
	probe->file = file;
	probe->header = (struct nalm_header *)map;
	probe->control = (struct nalm_control *)(void *)(probe->base + NALM_PROBE_CONTROL_OFFSET);
	probe->claimed = probe->in_turn = probe->counted = 0;
	probe->buffers = NULL;
	probe->buffers_arg = NULL;
	probe->attach_events = NULL;

	struct nalm_header *h = probe->header;
	h->version = NALM_PROBE_VERSION;
	h->abilities = NALM_CAN_MERGE | NALM_CAN_LONG;
	h->header_bytes = sizeof(*h);
	h->control_offset = NALM_PROBE_CONTROL_OFFSET;
	h->lcore_offset = NALM_PROBE_LCORE_OFFSET;
	h->lcore_bytes = NALM_PROBE_LCORE_BYTES;
	h->lcore_max = NALM_PROBE_MAX_LCORES;
	h->file_bytes = bytes;
	h->tsc_hz = tsc_hz;
	h->pid = (uint64_t)getpid();
	h->started_realtime_ns = nalm_clock_ns(CLOCK_REALTIME);
	nalm_copy_name(h->nf, sizeof(h->nf), nf);
	for (s = 0; stages[s].name != NULL; s++) {
		if (s >= NALM_PROBE_MAX_STAGES)
			goto too_big;
		struct nalm_stage_name *to = &h->stages[s];
		nalm_copy_name(to->name, sizeof(to->name), stages[s].name);
		to->flags = stages[s].flags;
		for (o = 0; stages[s].outcomes != NULL && stages[s].outcomes[o].name != NULL; o++) {
			if (o >= NALM_PROBE_MAX_OUTCOMES)
				goto too_big;
			nalm_copy_name(to->outcomes[o].name, sizeof(to->outcomes[o].name),
				       stages[s].outcomes[o].name);
			to->outcomes[o].kind = (uint32_t)stages[s].outcomes[o].kind;
		}
		to->outcome_count = o;
	}
	h->stage_count = s;
	probe->control->gate =
		gate != NULL && strcmp(gate, "closed") == 0 ? NALM_GATE_CLOSED : NALM_GATE_OPEN;
	__atomic_store_n(&h->magic, NALM_PROBE_MAGIC, __ATOMIC_RELEASE);
	nalm_probe_header = h;
	return 0;

too_big:
	munmap(map, bytes);
	if (file >= 0)
		close(file);
	probe->base = NULL;
	return -E2BIG;
}

static inline void nalm_probe_close(struct nalm_probe *probe)
{
	if (nalm_probe_header == probe->header)
		nalm_probe_header = NULL;
	/* First, because a signal handler that opens the gate may run at any time. */
	__atomic_store_n(&probe->control, (struct nalm_control *)NULL, __ATOMIC_RELEASE);
	if (probe->base != NULL) {
		munmap(probe->base, (size_t)probe->header->file_bytes);
		if (probe->file >= 0)
			close(probe->file);
	}
	probe->base = NULL;
}

/* Sets the function that returns the number of packet buffers that the process uses. Each lcore calls it at the end of
 * each turn, outside its clocks. Call this after nalm_probe_open() and before any lcore's claim. */
static inline void nalm_probe_buffers(struct nalm_probe *probe, uint64_t (*buffers)(void *arg), void *arg)
{
	probe->buffers = buffers;
	probe->buffers_arg = arg;
}

/* Adds events since the previous mark. The cost of this reading counts for the next mark. */
__attribute__((noinline, unused)) static void nalm_mark_events(struct nalm_lcore *lc, uint32_t stage)
{
	uint64_t now[NALM_PROBE_MAX_EVENTS] = {0};

	lc->read_events(lc, now);
	lc->stage_readings[stage]++;
	for (uint32_t e = 0; e < lc->event_count; e++) {
		lc->stage_events[stage][e] += now[e] - lc->last_events[e];
		lc->last_events[e] = now[e];
	}
}

/* Measures the cost of one reading of the events, in each event: the minimum of several consecutive readings. */
static inline void nalm_weigh_reading(struct nalm_lcore *lc)
{
	uint64_t *reading = lc->block->events.reading, *one = lc->stage_events[0];

	nalm_mark_events(lc, 0);
	for (int i = 0; i < 64; i++) {
		memset(one, 0, sizeof(lc->stage_events[0]));
		nalm_mark_events(lc, 0);
		for (uint32_t e = 0; e < lc->event_count; e++)
			if (i == 0 || one[e] < reading[e])
				reading[e] = one[e];
	}
	memset(one, 0, sizeof(lc->stage_events[0]));
	lc->stage_readings[0] = 0;
}

/* Allocates a block and its pages, so that neither a full disk nor a page fault meets a writer later. */
static inline int nalm_probe_allocate(const struct nalm_probe *probe, struct nalm_lcore_block *block)
{
	uint8_t *begin = (uint8_t *)block;
	int err = 0;

	if (probe->file >= 0)
		err = posix_fallocate(probe->file, begin - probe->base, NALM_PROBE_LCORE_BYTES);
	for (uint32_t at = 0; err == 0 && at < NALM_PROBE_LCORE_BYTES; at += 4096)
		__atomic_store_n((uint64_t *)(void *)(begin + at), 0, __ATOMIC_RELAXED);
	return -err;
}

/* Gives the calling thread a block of its own. Returns 0, or a negative errno: -ENOSPC when all blocks are taken or
 * the file's disk is full. */
static inline int nalm_lcore_claim(struct nalm_probe *probe, uint32_t lcore_id, struct nalm_lcore *lc)
{
	uint32_t index = __atomic_fetch_add(&probe->claimed, 1, __ATOMIC_RELAXED);
	if (index >= NALM_PROBE_MAX_LCORES)
		return -ENOSPC;
	memset(lc, 0, sizeof(*lc));
	lc->block = nalm_probe_block(probe, index);
	int err = nalm_probe_allocate(probe, lc->block);
	if (err != 0)
		return err;
	lc->control = probe->control;
	lc->probe = probe;
	for (uint32_t s = 0; s < probe->header->stage_count; s++)
		if (probe->header->stages[s].flags & NALM_STAGE_APART)
			lc->apart_mask |= (nalm_stage_mask)1 << s;
	lc->block->counters.lcore_id = lcore_id;
	lc->block->counters.tid = (int32_t)syscall(SYS_gettid);
	if (probe->attach_events != NULL)
		probe->attach_events(lc);
	if (lc->event_count != 0)
		nalm_weigh_reading(lc);
	__atomic_store_n(&lc->block->counters.state, NALM_LCORE_RUNNING, __ATOMIC_RELEASE);
	return 0;
}

/* Writer's half of the sequence lock: order (A) pairs with the reader's acquire load of an even seq. */
static inline void nalm_write_begin(struct nalm_counter_block *b)
{
	__atomic_store_n(&b->seq, b->seq + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void nalm_write_end(struct nalm_counter_block *b)
{
	__atomic_store_n(&b->seq, b->seq + 1, __ATOMIC_RELEASE); /* (A) */
}

static inline void nalm_turn_enter(struct nalm_lcore *lc)
{
	lc->turn_packets = 0;
	lc->running = true;
	lc->bare = (lc->probe->header->abilities & NALM_CAN_BARE) != 0 && lc->control->bare != 0;
	lc->long_cycles = lc->control->long_cycles != 0 ? lc->control->long_cycles : UINT64_MAX;
	__atomic_store_n(&lc->block->counters.state, NALM_LCORE_RUNNING, __ATOMIC_RELEASE);
	lc->start_speed = nalm_core_speed();
	getrusage(RUSAGE_THREAD, &lc->start_usage);
	lc->start_cpu_ns = nalm_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	lc->start_wall_ns = nalm_clock_ns(CLOCK_MONOTONIC);
	if (lc->event_count != 0)
		lc->read_events(lc, lc->last_events);
#ifdef NALM_HAVE_CALLGRIND
	uint32_t turn = __atomic_load_n(&lc->control->turn, __ATOMIC_RELAXED);
	if (__atomic_exchange_n(&lc->probe->counted, turn, __ATOMIC_RELAXED) != turn)
		CALLGRIND_ZERO_STATS;
	__atomic_fetch_add(&lc->probe->in_turn, 1, __ATOMIC_RELAXED);
	CALLGRIND_START_INSTRUMENTATION; /* a few instructions outside valgrind */
#endif
	lc->start_tsc = lc->last_tsc = nalm_tsc();
}

static inline void nalm_turn_leave(struct nalm_lcore *lc, enum nalm_lcore_state state, uint32_t turn)
{
	struct nalm_counter_block *b = &lc->block->counters;
	struct rusage u;

	if (lc->running) {
		const struct nalm_probe *probe = lc->probe;
		uint64_t tsc = nalm_tsc(), wall, cpu, speed, buffers = 0;
#ifdef NALM_HAVE_CALLGRIND
		if (__atomic_sub_fetch(&lc->probe->in_turn, 1, __ATOMIC_RELAXED) == 0)
			CALLGRIND_STOP_INSTRUMENTATION;
#endif
		wall = nalm_clock_ns(CLOCK_MONOTONIC);
		cpu = nalm_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		getrusage(RUSAGE_THREAD, &u);
		speed = nalm_core_speed();
		if (probe->buffers != NULL)
			buffers = probe->buffers(probe->buffers_arg);
		nalm_write_begin(b);
		b->turns++;
		b->turn_tsc_cycles += tsc - lc->start_tsc;
		b->turn_wall_ns += wall - lc->start_wall_ns;
		b->turn_cpu_ns += cpu - lc->start_cpu_ns;
		b->turn_voluntary_switches += (uint64_t)(u.ru_nvcsw - lc->start_usage.ru_nvcsw);
		b->turn_involuntary_switches += (uint64_t)(u.ru_nivcsw - lc->start_usage.ru_nivcsw);
		b->turn_minor_faults += (uint64_t)(u.ru_minflt - lc->start_usage.ru_minflt);
		b->turn_major_faults += (uint64_t)(u.ru_majflt - lc->start_usage.ru_majflt);
		b->turn_begin_tsc_per_million_adds = lc->start_speed;
		b->turn_end_tsc_per_million_adds = speed;
		b->buffers = buffers;
		b->buffers_at_tsc = probe->buffers != NULL ? nalm_tsc() : 0;
		nalm_write_end(b);
		lc->running = false;
	}
	/* repeated with the same number after each wake that was not for this lcore */
	__atomic_store_n(&b->parked_turn, turn, __ATOMIC_RELAXED);
	__atomic_store_n(&b->state, (uint32_t)state, __ATOMIC_RELEASE); /* the agent acquires state, then reads */
}

/* Waits for the next turn. Returns false if the NF shall end. Not for the hot path. */
__attribute__((noinline, unused)) static bool nalm_probe_park(struct nalm_lcore *lc)
{
	struct nalm_control *c = lc->control;
	/* Reads the turn number before the gate, so that a turn that begins in between is not lost. */
	uint32_t done = __atomic_load_n(&c->turn, __ATOMIC_ACQUIRE);
	bool leave = lc->running; /* false only before the first turn */
	for (;;) {
		uint32_t gate = __atomic_load_n(&c->gate, __ATOMIC_ACQUIRE);
		uint32_t turn = __atomic_load_n(&c->turn, __ATOMIC_ACQUIRE);
		if (gate == NALM_GATE_FINISH) {
			nalm_turn_leave(lc, NALM_LCORE_FINISHED, turn);
			return false;
		}
		if (gate == NALM_GATE_OPEN && (!leave || turn != done)) {
			nalm_turn_enter(lc);
			return true;
		}
		nalm_turn_leave(lc, NALM_LCORE_PARKED, done);
		leave = true;
		/* The agent wakes the futex after each change of gate; the timeout only limits a lost wake. */
		struct timespec second = {1, 0};
		syscall(SYS_futex, &c->gate, FUTEX_WAIT, gate, &second, NULL, 0);
	}
}

/* Whether the thread may continue without parking. */
static inline bool nalm_probe_ready(const struct nalm_lcore *lc)
{
	const struct nalm_control *c = lc->control;
	return __builtin_expect(lc->running && __atomic_load_n(&c->gate, __ATOMIC_RELAXED) == NALM_GATE_OPEN &&
					(c->turn_packets == 0 || lc->turn_packets < c->turn_packets),
				1);
}

/* Says that the NF has turns without marks, in which an iteration costs next to nothing: where nalm_probe_is_bare(),
 * it calls nalm_probe_commit_bare() in place of marks, outcomes and commit. The agent then measures the chain without
 * the cost of its marks. Not for NFs with stages apart. Call this after nalm_probe_open() and before any lcore's claim.
 */
static inline void nalm_probe_bare_turns(struct nalm_probe *probe)
{
	probe->header->abilities |= NALM_CAN_BARE;
}

static inline bool nalm_probe_is_bare(const struct nalm_lcore *lc)
{
	return lc->bare;
}

/* packets: those of the iteration that have an outcome. */
static inline void nalm_probe_commit_bare(struct nalm_lcore *lc, uint32_t packets)
{
	uint64_t *total = &lc->block->counters.packets;

	__atomic_store_n(total, *total + packets, __ATOMIC_RELAXED);
	lc->turn_packets += packets;
}

/* Call it once per loop iteration. true: continue; false: leave the loop. */
static inline bool nalm_probe_gate(struct nalm_lcore *lc)
{
	return nalm_probe_ready(lc) || nalm_probe_park(lc);
}

#ifndef NALM_PROBE_NO_STAGES

/* Publishes the iteration's events within the writer's lock, as commit does with cycles. */
__attribute__((noinline, unused)) static void nalm_commit_events(struct nalm_lcore *lc, uint32_t packets)
{
	struct nalm_event_block *b = &lc->block->events;

	for (uint32_t m = 0; m < lc->mark_count; m++) {
		uint32_t stage = lc->marks[m].stage;
		uint64_t *own = lc->apart_mask & ((nalm_stage_mask)1 << stage) ? b->apart : packets != 0 ? b->busy : b->idle;
		if (packets != 0)
			b->marks[stage] += lc->stage_readings[stage];
		lc->stage_readings[stage] = 0; /* of the stage's other marks, too */
		for (uint32_t e = 0; e < lc->event_count; e++) {
			own[e] += lc->stage_events[stage][e];
			if (packets != 0)
				b->stages[stage][e] += lc->stage_events[stage][e];
			lc->stage_events[stage][e] = 0;
		}
	}
}

/* Makes room for marks: those of one stage become one. Their cycles and packets stay, only their batch is larger. */
__attribute__((noinline, unused)) static void nalm_merge_marks(struct nalm_lcore *lc)
{
	uint32_t *merged = &lc->block->counters.merged_marks, kept = 0, to;

	for (uint32_t m = 0; m < lc->mark_count; m++) {
		for (to = 0; to < kept && lc->marks[to].stage != lc->marks[m].stage; to++)
			;
		if (to == kept) {
			lc->marks[kept++] = lc->marks[m];
			continue;
		}
		lc->marks[to].packets += lc->marks[m].packets;
		lc->marks[to].cycles += lc->marks[m].cycles;
	}
	__atomic_store_n(merged, *merged + lc->mark_count - kept, __ATOMIC_RELAXED);
	lc->mark_count = kept;
}

/* Makes room for outcomes: those of one name become one. */
__attribute__((noinline, unused)) static void nalm_merge_outcomes(struct nalm_lcore *lc)
{
	uint32_t kept = 0, to;

	for (uint32_t p = 0; p < lc->pending_count; p++) {
		for (to = 0; to < kept && (lc->pending[to].stage != lc->pending[p].stage ||
					   lc->pending[to].outcome != lc->pending[p].outcome);
		     to++)
			;
		if (to == kept)
			lc->pending[kept++] = lc->pending[p];
		else
			lc->pending[to].packets += lc->pending[p].packets;
	}
	lc->pending_count = kept;
}

/* Attributes all cycles since the previous mark (or the turn's begin) to the stage, which handled n packets. */
static inline void nalm_probe_mark(struct nalm_lcore *lc, uint32_t stage, uint32_t n)
{
	uint64_t now = nalm_tsc();
	if (__builtin_expect(lc->mark_count == NALM_PROBE_MAX_PENDING, 0))
		nalm_merge_marks(lc);
	uint32_t m = lc->mark_count;
	lc->marks[m].stage = stage;
	lc->marks[m].packets = n;
	lc->marks[m].cycles = now - lc->last_tsc;
	lc->mark_count = m + 1;
	lc->last_tsc = now;
	if (__builtin_expect(lc->event_count != 0, 0))
		nalm_mark_events(lc, stage);
}

/* Adds n packets with this outcome in the stage's current batch. */
static inline void nalm_probe_outcome(struct nalm_lcore *lc, uint32_t stage, uint32_t outcome, uint32_t n)
{
	if (n == 0)
		return;
	if (__builtin_expect(lc->pending_count == NALM_PROBE_MAX_PENDING, 0))
		nalm_merge_outcomes(lc);
	uint32_t p = lc->pending_count;
	lc->pending[p].stage = (uint16_t)stage;
	lc->pending[p].outcome = (uint16_t)outcome;
	lc->pending[p].packets = n;
	lc->pending_count = p + 1;
}

static inline void nalm_count_batch(struct nalm_batch_block *block, uint32_t packets, uint64_t cycles)
{
	struct nalm_batches *b = &block->sizes[packets < NALM_PROBE_MAX_BATCH ? packets : NALM_PROBE_MAX_BATCH];

	b->count++;
	b->cycles += cycles;
}

/* Adds a mark to those of its length. */
__attribute__((noinline, unused)) static void nalm_count_length(struct nalm_lcore *lc, uint32_t stage, uint64_t cycles)
{
	uint32_t length = 63u - (uint32_t)__builtin_clzll(cycles | 1);
	struct nalm_batches *b =
		&lc->block->lengths[stage].marks[length < NALM_PROBE_LENGTHS ? length : NALM_PROBE_LENGTHS - 1];

	b->count++;
	b->cycles += cycles;
}

/* Publishes the iteration's marks and outcomes atomically. packets: handled in the iteration; 0: idle. */
static inline void nalm_probe_commit(struct nalm_lcore *lc, uint32_t packets)
{
	struct nalm_counter_block *b = &lc->block->counters;
	uint64_t own = 0, apart = 0;

	nalm_write_begin(b);
	for (uint32_t m = 0; m < lc->mark_count; m++) {
		uint32_t stage = lc->marks[m].stage, n = lc->marks[m].packets;
		uint64_t cycles = lc->marks[m].cycles;
		struct nalm_stage_block *s = &b->stages[stage];
		if (lc->apart_mask & ((nalm_stage_mask)1 << stage))
			apart += cycles;
		else
			own += cycles;
		if (packets != 0) {
			s->cycles += cycles;
			s->packets += n;
			s->batches += n != 0;
			nalm_count_batch(&lc->block->batches[stage], n, cycles);
		}
		if (__builtin_expect(cycles >= lc->long_cycles, 0))
			nalm_count_length(lc, stage, cycles);
	}
	if (__builtin_expect(lc->event_count != 0, 0))
		nalm_commit_events(lc, packets);
	for (uint32_t p = 0; p < lc->pending_count; p++)
		b->stages[lc->pending[p].stage].outcomes[lc->pending[p].outcome] += lc->pending[p].packets;
	b->iterations++;
	b->packets += packets;
	b->apart_cycles += apart;
	if (packets != 0) {
		b->busy_cycles += own;
		nalm_count_batch(&lc->block->iterations, packets, own);
	} else {
		b->idle_cycles += own;
		b->idle_polls++;
	}
	nalm_write_end(b);
	lc->mark_count = 0;
	lc->pending_count = 0;
	lc->turn_packets += packets;
}

#else /* the baseline of the probe's own cost: only turns and packets */

static inline void nalm_probe_mark(struct nalm_lcore *lc, uint32_t stage, uint32_t n)
{
	(void)lc, (void)stage, (void)n;
}
static inline void nalm_probe_outcome(struct nalm_lcore *lc, uint32_t stage, uint32_t outcome, uint32_t n)
{
	(void)lc, (void)stage, (void)outcome, (void)n;
}
static inline void nalm_probe_commit(struct nalm_lcore *lc, uint32_t packets)
{
	__atomic_store_n(&lc->block->counters.packets, lc->block->counters.packets + packets, __ATOMIC_RELAXED);
	lc->turn_packets += packets;
}

#endif

/* Call it when the lcore leaves its loop for another reason, such as a signal. */
static inline void nalm_lcore_finish(struct nalm_lcore *lc)
{
	nalm_turn_leave(lc, NALM_LCORE_FINISHED, __atomic_load_n(&lc->control->turn, __ATOMIC_ACQUIRE));
}

#ifdef __SANITIZE_THREAD__
#define NALM_THREAD_SANITIZER 1
#elif defined(__has_feature) /* clang's form */
#if __has_feature(thread_sanitizer)
#define NALM_THREAD_SANITIZER 1
#endif
#endif
#ifdef NALM_THREAD_SANITIZER
/* ThreadSanitizer's runtime ignores reads between these two. */
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
#define NALM_RACE_BEGIN() AnnotateIgnoreReadsBegin(__FILE__, __LINE__)
#define NALM_RACE_END() AnnotateIgnoreReadsEnd(__FILE__, __LINE__)
#else
#define NALM_RACE_BEGIN()
#define NALM_RACE_END()
#endif

/* Reader's half: copies consistent counters. Returns false if the writer was always active (retry). The copy may race
 * with the writer on purpose: seq detects this, and the copy is discarded. */
static inline bool nalm_probe_snapshot(const struct nalm_counter_block *from, struct nalm_counter_block *to)
{
	for (int tries = 0; tries < 100000; tries++) {
		uint64_t before = __atomic_load_n(&from->seq, __ATOMIC_ACQUIRE); /* pairs with (A) */
		if (before & 1)
			continue;
		NALM_RACE_BEGIN();
		memcpy(to, from, sizeof(*to));
		NALM_RACE_END();
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&from->seq, __ATOMIC_RELAXED) == before)
			return true;
	}
	return false;
}

#ifdef __cplusplus
}
#endif
#endif /* NALM_PROBE_H */
