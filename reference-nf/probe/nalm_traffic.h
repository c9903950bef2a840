/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nalm traffic file: what a generator inside an NF shall send, trial by trial, and what it did. Header only, C11, needs
 * no DPDK.
 *
 * Course of a trial: the lcores are parked (nalm_probe.h). The agent writes `control` with a new trial number and opens
 * a turn; the generator sends accordingly. The agent closes the turn; before its lcore parks, the generator writes the
 * trial's results so far. Further turns of the same number continue the trial: a silent turn lets packets in flight
 * arrive. Each side writes only while the other does not read, so nothing is atomic.
 *
 * Histograms count ticks of the TSC in bins: a value below `steps` has a bin of its own; above, there are `steps` bins
 * between two powers of two. The last bin counts all larger values; the greatest is also stored.
 *
 * The layout is version NALM_TRAFFIC_VERSION and is asserted. Version 1 has no arrivals; version 2 has no directions;
 * version 3 has neither bursts nor new flows; version 4 has no ramp.
 */
#ifndef NALM_TRAFFIC_H
#define NALM_TRAFFIC_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NALM_TRAFFIC_MAGIC 0x544d4c4eu /* "NLMT" read as a little-endian word */
#define NALM_TRAFFIC_VERSION 5u
#define NALM_TRAFFIC_STEPS 32u
#define NALM_TRAFFIC_BINS 1216u

enum nalm_traffic_load {
	NALM_TRAFFIC_CLOSED = 0, /* as fast as the NF takes packets */
	NALM_TRAFFIC_OPEN = 1,	 /* by a schedule of rate_pps */
	NALM_TRAFFIC_SILENT = 2, /* nothing: packets in flight arrive */
};

/* Gaps between the open loop's bursts. Random ones are a whole number of steps of 10 ns. */
enum nalm_traffic_arrivals {
	NALM_TRAFFIC_CONFIGURED = 0, /* as the NF's own configuration has it */
	NALM_TRAFFIC_CONSTANT = 1,
	NALM_TRAFFIC_POISSON = 2,
	NALM_TRAFFIC_GEOMETRIC = 3,
	NALM_TRAFFIC_NEGATIVE_BINOMIAL = 4,
};

/* Written by the agent. */
struct nalm_traffic_control {
	uint64_t trial; /* 0: the NF's own configuration applies */
	uint64_t load;	/* enum nalm_traffic_load */
	uint64_t rate_pps;
	uint64_t leave_out_ns; /* latencies of packets due this early in the trial are not counted */
	uint64_t arrivals;     /* enum nalm_traffic_arrivals */
	uint64_t cv_millionths; /* of a negative binomial: standard deviation over mean */
	uint64_t burst;	/* packets of a burst of the open loop; 0: as the NF's own configuration has it */
	uint64_t new_flows_per_second; /* of the open loop; 0: as the NF's own configuration has it */
};

/* Written by the agent, with `control`: the open loop's rate rises linearly from least_millionths / 10^6 times rate_pps
 * to 2 - that times, over period_ns, and begins again; each turn begins with the slow end. */
struct nalm_traffic_ramp {
	uint64_t period_ns; /* 0: the rate stays as it is */
	uint64_t least_millionths; /* up to a million */
};

/* Written by the NF, for the current trial. */
struct nalm_traffic_totals {
	uint64_t trial;
	uint64_t sending_ticks; /* how long it sent, without parked and silent times */
	uint64_t sent;		/* packets */
	uint64_t late;		/* given up: not sent within the configured time after they were due */
	uint64_t stamped;	/* 1: packets carry numbers, and the following fields are known */
	uint64_t received, reordered, duplicates, damaged;
	uint64_t timed; /* 1: packets carry the TSC, and the histograms are filled */
	uint64_t directed; /* 1: those of each direction, too */
	uint64_t renewing; /* 1: flows can end and others take their place */
	uint64_t flows_begun; /* flows that did so */
};

struct nalm_traffic_histogram {
	uint64_t count, sum, least, greatest;
	uint64_t bins[NALM_TRAFFIC_BINS];
};

enum nalm_traffic_direction { NALM_TRAFFIC_OUTBOUND, NALM_TRAFFIC_INBOUND, NALM_TRAFFIC_DIRECTIONS };

struct nalm_traffic_times {
	struct nalm_traffic_histogram latency __attribute__((aligned(64)));
	struct nalm_traffic_histogram jitter __attribute__((aligned(64)));
};

struct nalm_traffic {
	uint32_t magic; /* set last */
	uint32_t version;
	uint64_t file_bytes;
	uint64_t tsc_hz;
	uint32_t steps, bins;
	struct nalm_traffic_control control __attribute__((aligned(64)));
	struct nalm_traffic_totals totals __attribute__((aligned(64)));
	struct nalm_traffic_histogram latency __attribute__((aligned(64))); /* of both directions */
	struct nalm_traffic_histogram jitter __attribute__((aligned(64)));
	struct nalm_traffic_times directions[NALM_TRAFFIC_DIRECTIONS]; /* packets from clients, and to clients */
	struct nalm_traffic_ramp ramp __attribute__((aligned(64)));
};

_Static_assert(offsetof(struct nalm_traffic, control) == 64, "layout");
_Static_assert(offsetof(struct nalm_traffic, totals) == 128, "layout");
_Static_assert(offsetof(struct nalm_traffic, latency) == 256, "layout");
_Static_assert(offsetof(struct nalm_traffic, jitter) == 256 + 8 * (4 + NALM_TRAFFIC_BINS) + 32, "layout");
_Static_assert(offsetof(struct nalm_traffic, directions) == 19840 && sizeof(struct nalm_traffic_times) == 19584, "layout");
_Static_assert(offsetof(struct nalm_traffic, ramp) == 59008, "layout");

/* Creates and maps the file that NALM_TRAFFIC_FILE names. *traffic is NULL if it names none. Returns 0, or -errno. */
static inline int nalm_traffic_open(struct nalm_traffic **traffic, uint64_t tsc_hz)
{
	const char *path = getenv("NALM_TRAFFIC_FILE");
	struct nalm_traffic *t;

	*traffic = NULL;
	if (path == NULL || *path == '\0')
		return 0;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	int err = posix_fallocate(fd, 0, (off_t)sizeof(*t));
	if (err != 0) {
		close(fd);
		return -err;
	}
	t = (struct nalm_traffic *)mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	err = errno;
	close(fd);
	if (t == MAP_FAILED)
		return -err;
	t->version = NALM_TRAFFIC_VERSION;
	t->file_bytes = sizeof(*t);
	t->tsc_hz = tsc_hz;
	t->steps = NALM_TRAFFIC_STEPS;
	t->bins = NALM_TRAFFIC_BINS;
	__atomic_store_n(&t->magic, NALM_TRAFFIC_MAGIC, __ATOMIC_RELEASE);
	*traffic = t;
	return 0;
}

static inline void nalm_traffic_close(struct nalm_traffic *traffic)
{
	if (traffic != NULL)
		munmap(traffic, sizeof(*traffic));
}

#endif
