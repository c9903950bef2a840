/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Input: a talk (talk.h) through the NF: real stages, tables, models and rings, all roles in turn on this lcore.
 * FUZZ_NF in the environment has the configuration's name and --set values, separated by blanks.
 *
 * Checks that no packet buffer is lost, outcomes add up, packets that leave are valid, and right checksums stay right.
 * The bytes after a frame in its buffer are poisoned, which detects stages that read them.
 */
#include <sanitizer/asan_interface.h>
#include <sched.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>

#include "check.h"
#include "model/chain_probed.h"
#include "model/pipeline.h"
#include "model/plan_build.h"
#include "settings.h"
#include "sums.h"
#include "talk.h"
#include "nic/nic.h"

#define IDLE_S 8192u	/* longer than any default idle time of a stage: an input begins without flows */
#define FRAMES_MAX 256u /* in one input */
#define ROUNDS_MAX 10000u

enum { TRANSPORT_RIGHT = 1 }; /* mbuf.hash.usr of a packet in the NF */

static struct {
	char *arguments;
	struct options options;
	struct settings settings;
	struct chain chain;
	struct io io;
	struct plan plan;
	uint32_t mbufs;		/* in the pool */
	struct nic nic;		/* of [io] offload */
	bool bridges;		/* frames without IP pass */
	bool tunnels;		/* packets come out of tunnels, and go into them */
	uint64_t entered, left; /* packets */
	struct talk_frame last; /* that left */
} nf;

static const struct stop_flag never_stopped;

static void read_arguments(void)
{
	const char *text = getenv("FUZZ_NF");
	char *rest = NULL;

	if (text == NULL) {
		fprintf(stderr, "FUZZ_NF is not set: name one, like FUZZ_NF='conf/sfc_a.conf model.model=pipeline'\n");
		exit(2);
	}
	nf.arguments = strdup(text);
	CHECK(nf.arguments != NULL);
	nf.options.config = strtok_r(nf.arguments, " ", &rest);
	CHECK(nf.options.config != NULL);
	for (char *set; (set = strtok_r(NULL, " ", &rest)) != NULL;) {
		CHECK(nf.options.set_count < OPTIONS_MAX_SETS);
		nf.options.sets[nf.options.set_count++] = set;
	}
}

/* EAL binds this thread to its lcore. Afterwards it may run on any CPU again, so that several such programs can run. */
static void open_eal(const char *program)
{
	char lcores[32];
	char *argv[] = {(char *)(uintptr_t)program, lcores, "--no-huge", "-m", "512", "--no-shconf", "--no-pci",
			"--no-telemetry", "--force-max-simd-bitwidth=256", "--log-level=lib.eal:error", NULL};
	cpu_set_t cpus;

	CHECK(sched_getaffinity(0, sizeof(cpus), &cpus) == 0);
	snprintf(lcores, sizeof(lcores), "--lcores=0@%d", sched_getcpu());
	CHECK(rte_eal_init((int)(sizeof(argv) / sizeof(argv[0])) - 1, argv) >= 0);
	CHECK(sched_setaffinity(0, sizeof(cpus), &cpus) == 0);
}

static bool has_stage(const struct stage_ops *ops)
{
	for (uint32_t i = 0; i < nf.chain.count; i++)
		if (nf.chain.stages[i].ops == ops)
			return true;
	return false;
}

static void open_nf(void)
{
	const struct model_settings *m = &nf.settings.model;

	read_arguments();
	CHECK(settings_read(&nf.settings, &nf.chain, &nf.options));
	const struct io_settings io = settings_of_io(&nf.settings);
	CHECK(io_open(&nf.io, &io));
	CHECK(chain_init(&nf.chain, m, 0));
	CHECK(plan_open(&nf.plan, &(struct plan_parts){
					  .model = m,
					  .chain = &nf.chain,
					  .io = &nf.io,
					  .ns_per_packet = 1, /* one tick per ns: this program sets the clock */
					  .stop = &never_stopped,
				  }));
	nf.mbufs = rte_mempool_avail_count(nf.io.pool);
	CHECK(nic_open(&nf.nic, nf.settings.traffic, nf.io.rx_queues));
	nf.bridges = has_stage(&l2fwd_stage);
	nf.tunnels = has_stage(&gtp_decap_stage) || has_stage(&pbb_stage);
}

static void close_nf(void)
{
	plan_close(&nf.plan);
	nic_close(&nf.nic);
	chain_fini(&nf.chain);
	io_close(&nf.io);
	settings_free(&nf.settings);
	free(nf.arguments);
	memset(&nf, 0, sizeof(nf));
}

static void pass_time(uint64_t seconds)
{
	nf.plan.clocks[0].received += seconds * (uint64_t)NS_PER_S;
	atomic_fetch_add(&nf.io.offered.packets, seconds * (uint64_t)NS_PER_S); /* of several queues */
}

static void put_before_nf(const struct talk_frame *f)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(nf.io.pool);

	CHECK(m != NULL);
	ASAN_UNPOISON_MEMORY_REGION(m->buf_addr, m->buf_len);
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	memcpy(frame, f->data, f->bytes);
	m->data_len = (uint16_t)f->bytes;
	m->pkt_len = f->bytes;
	m->hash.usr = !nf.tunnels && sums_transport_right(frame, f->bytes) ? TRANSPORT_RIGHT : 0;
	if (!nf.tunnels && nf.io.fragments == NULL) { /* headers of a tunnel, or other fragments, are written there */
		ASAN_POISON_MEMORY_REGION(m->buf_addr, m->data_off);
		ASAN_POISON_MEMORY_REGION(frame + f->bytes, rte_pktmbuf_tailroom(m));
	}
	if (nf.nic.offload != 0)
		nic_process(&nf.nic, &m, 1);
	CHECK(rte_ring_sp_enqueue(nf.io.to_nf[nf.io.rx_queues > 1 ? nf.nic.queue[0] : 0], m) == 0);
	nf.entered++;
}

/* The last stage of every chain forwards only valid IP packets, and what a switch before it has forwarded. */
static void take_behind_nf(struct rte_mbuf *m)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	struct packet p;

	CHECK(m->nb_segs == 1 && m->data_len == m->pkt_len);
	packet_parse(frame, m->data_len, &p);
	CHECK(p.kind != PACKET_MALFORMED && (p.version != 0 || nf.bridges));
	CHECK(p.version != 4 || sums_header_right(frame, m->data_len));
	CHECK(m->hash.usr != TRANSPORT_RIGHT || sums_transport_right(frame, m->data_len));
	nf.last.bytes = m->data_len;
	memcpy(nf.last.data, frame, m->data_len);
	rte_pktmbuf_free(m);
	nf.left++;
}

static uint32_t empty_rings(void)
{
	uint32_t taken = 0;
	void *m;

	for (uint32_t q = 0; q < nf.io.queues; q++)
		for (; rte_ring_sc_dequeue(nf.io.from_nf[q], &m) == 0; taken++)
			take_behind_nf(m);
	return taken;
}

/* Runs all roles until none has work; then no packet may be in flight. */
static void run_nf(void)
{
	uint32_t moved = 1;

	for (uint32_t rounds = 0; moved != 0; rounds++) {
		CHECK(rounds < ROUNDS_MAX);
		moved = 0;
		for (uint32_t i = 0; i < nf.plan.role_count; i++)
			moved += nf.plan.roles[i]->step(nf.plan.roles[i], NULL);
		moved += empty_rings();
	}
	CHECK_EQUAL(rte_mempool_avail_count(nf.io.pool) + (nf.io.fragments == NULL ? 0 : fragments_held(nf.io.fragments)), nf.mbufs);
}

static void check_totals(void)
{
	const struct fragments *f = nf.io.fragments;
	uint64_t gathered = f == NULL ? 0 : f->received - f->datagrams, added = f == NULL ? 0 : fragments_added(f);

	CHECK(chain_balanced(&nf.chain));
	CHECK_EQUAL(chain_totals(&nf.chain, nf.chain.at[PART_RX]).packets, nf.entered);
	CHECK_EQUAL(chain_totals(&nf.chain, nf.chain.at[PART_RX]).outcomes[RX_GATHERED], gathered);
	CHECK_EQUAL(chain_sum(&nf.chain, NALM_KIND_SENT), nf.left - added);
}

/* DPDK's own memory holds pointers, where LeakSanitizer does not look. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	open_eal((*argv)[0]);
	open_nf();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct talk_record record;
	struct talk_frame frame;

	if (rx_now(&nf.plan.clocks[0]) > UINT64_MAX / 2) { /* time must not fall */
		close_nf();
		open_nf();
	}
	pass_time(IDLE_S);
	nf.last.bytes = 0;
	for (uint32_t i = 0; i < FRAMES_MAX && talk_next(&data, &size, &record); i++) {
		if (record.run || record.pause_s != 0 || record.kind >= TALK_REPLY)
			run_nf();
		pass_time(record.pause_s);
		talk_frame(&record, &nf.last, &frame);
		if (frame.bytes != 0)
			put_before_nf(&frame);
	}
	run_nf();
	check_totals();
	return 0;
}
