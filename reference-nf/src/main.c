/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nalm-nf: command line, start, loops, totals.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_mempool.h>

#include "hop/hop_second.h"
#include "model/plan_build.h"
#include "model/runner.h"
#include "reload/reload.h"
#include "settings.h"
#include "telemetry.h"
#include "totals.h"
#include "transparent_pages.h"
#ifdef NALM_NF_PAPI
#include "nalm_probe_papi.h"
#endif

enum { EXIT_RUNTIME = 1, EXIT_USAGE = 2 };

static struct stop_flag stop; /* set by the signal handler and by the gate's finish, read by the traffic */
static struct nalm_probe probe;

/* All state of a run; static because of its size. */
static struct {
	struct options options;
	struct settings settings;
	struct chain chain;
	struct io io;
	struct generator generator;
	struct sink sink;
	struct plan plan;
	struct rte_rcu_qsbr *readers;
	struct hop_second second;
} nf;

/* A parked lcore waits for the gate, so the gate is set to finish as well. Both calls are async-signal-safe. */
static void on_signal(int number)
{
	(void)number;
	struct nalm_control *control = __atomic_load_n(&probe.control, __ATOMIC_ACQUIRE);

	stop_flag_set(&stop);
	if (control != NULL) {
		__atomic_store_n(&control->gate, NALM_GATE_FINISH, __ATOMIC_RELEASE);
		syscall(SYS_futex, &control->gate, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	}
}

/* The second NF ends only when this one ends it, or if it fails. */
static void watch_second(void)
{
	struct sigaction ending = {.sa_handler = on_signal, .sa_flags = SA_NOCLDSTOP};

	sigaction(SIGCHLD, &ending, NULL);
}

static void on_hangup(int number)
{
	(void)number;
	reload_ask();
}

static void catch_signals(void)
{
	struct sigaction ending = {.sa_handler = on_signal}, reloading = {.sa_handler = on_hangup, .sa_flags = SA_RESTART};

	sigaction(SIGINT, &ending, NULL);
	sigaction(SIGTERM, &ending, NULL);
	sigaction(SIGHUP, &reloading, NULL);
}

static uint64_t seed_from_environment(void)
{
	const char *text = getenv("NALM_PROBE_SEED");
	return text == NULL ? 0 : strtoull(text, NULL, 10);
}

static bool open_dump(void)
{
	uint64_t packets, bytes;

	if (nf.options.dump == NULL)
		return true;
	generator_room(&nf.generator, nf.options.packets, &packets, &bytes);
	if (dump_open(&nf.sink.dump, nf.options.dump, packets, bytes))
		return true;
	fprintf(stderr, "--dump %s: no memory for %" PRIu64 " packets\n", nf.options.dump, packets);
	return false;
}

static uint64_t buffers_in_use(void *pool)
{
	return rte_mempool_in_use_count(pool);
}

static bool open_events(void)
{
#ifdef NALM_NF_PAPI
	if (nalm_probe_papi_open(&probe) != 0) {
		fprintf(stderr, "probe: NALM_PROBE_EVENTS=%s: too many events, or too long a name\n",
			getenv("NALM_PROBE_EVENTS"));
		return false;
	}
#endif
	return true;
}

static bool open_probe(void)
{
	int err = nalm_probe_open(&probe, "nalm-nf", nf.chain.probed, rte_get_tsc_hz(), NULL);
	if (err != 0) {
		fprintf(stderr, "probe: cannot map %s: %s\n", getenv("NALM_PROBE_FILE"), strerror(-err));
		return false;
	}
	nalm_probe_buffers(&probe, buffers_in_use, nf.io.pool);
	return open_events();
}

static bool open_readers(void)
{
	uint32_t lcores = rte_lcore_count();

	nf.readers = rte_zmalloc("readers", rte_rcu_qsbr_get_memsize(lcores), RTE_CACHE_LINE_SIZE);
	if (nf.readers != NULL && rte_rcu_qsbr_init(nf.readers, lcores) == 0)
		return true;
	fprintf(stderr, "no memory to keep track of %u lcores\n", lcores);
	return false;
}

static bool open_plan(uint64_t seed)
{
	bool outside = nf.settings.traffic->outside;

	return plan_open(&nf.plan, &(struct plan_parts){
					   .model = &nf.settings.model,
					   .chain = &nf.chain,
					   .io = &nf.io,
					   .ns_per_packet = nf.settings.traffic->ns_per_packet,
					   .seed = seed,
					   .stop = &stop,
					   .traffic_alone = nf.settings.hop->side == HOP_SWITCH,
					   .generator = outside ? NULL : &nf.generator,
					   .sink = outside ? NULL : &nf.sink,
				   });
}

static bool enough_roles(void)
{
	if (rte_lcore_count() <= nf.plan.role_count)
		return true;
	fprintf(stderr, "there are %u lcores, but this model uses %u: change [model] or EAL's --lcores\n",
		rte_lcore_count(), nf.plan.role_count);
	return false;
}

static bool open_io(uint64_t seed)
{
	struct io_settings io = settings_of_io(&nf.settings);

	io.seed = seed;
	io.limit = nf.options.packets;
	io.stop = &stop;
	return io_open(&nf.io, &io);
}

static bool open_traffic(void)
{
	if (nf.settings.traffic->outside)
		return true;
	if (!generator_open(&nf.generator, &nf.io, nf.settings.traffic, nf.options.packets))
		return false;
	sink_open(&nf.sink, &nf.generator);
	return true;
}

/* Agents and tests wait for this line: packets pass from now on. */
static void say_ready(void)
{
	char text[160];

	if (nf.io.has_nf_end && !nf.io.has_switch_end)
		snprintf(text, sizeof(text), "behind the hop %s", nf.settings.hop->path);
	else if (nf.settings.traffic->outside)
		outside_describe(&nf.io.outside, text, sizeof(text));
	else
		generator_describe(&nf.generator, text, sizeof(text));
	fprintf(stderr, "nalm-nf: %s\n", text);
}

/* Opens tables, ports, traffic and counters; the probe last, because its file tells an agent that the NF is ready. */
static bool start(void)
{
	uint64_t seed = seed_from_environment();

	if (!open_io(seed) || !chain_init(&nf.chain, &nf.settings.model, seed) || !open_traffic() || !open_plan(seed) ||
	    !enough_roles() || !open_readers())
		return false;
	if (nf.settings.hop->side != HOP_SWITCH && nf.settings.hop->side != HOP_FIRST)
		runner_prime(&nf.plan);
	sink_reset(&nf.sink);
	if (nf.io.fragments != NULL)
		fragments_reset(nf.io.fragments);
	if (!open_dump() || !trial_open(&nf.plan.traffic.trial) || !telemetry_open(&nf.plan) || !open_probe())
		return false;
	say_ready();
	return true;
}

static bool run(void)
{
	struct runner runner = {.plan = &nf.plan, .probe = &probe, .stop = &stop, .readers = nf.readers};
	const struct reload_parts parts = {&nf.chain, &nf.settings, &nf.options, nf.readers};

	if (!chain_start_control(&nf.chain, nf.readers))
		return false;
	if (nf.io.has_switch_end)
		(void)hop_switch_meet(&nf.io.switch_end, &stop);
	bool ok = reload_open(&parts);
	if (ok) {
		ok = runner_run(&runner);
		if (nf.io.has_switch_end)
			hop_switch_end(&nf.io.switch_end);
		reload_close();
	}
	chain_stop_control(&nf.chain);
	return hop_second_end(&nf.second) && ok;
}

/* Whether the sink has every frame that was sent. */
static bool all_arrived(void)
{
	if (nf.settings.hop->side == HOP_FIRST)
		return io_hop_is_balanced(&nf.io); /* the second NF knows what it dropped */
	uint64_t frames = chain_sum(&nf.chain, NALM_KIND_SENT);

	if (nf.io.fragments != NULL)
		frames += fragments_added(nf.io.fragments);
	return nf.sink.packets == frames;
}

static int finish(void)
{
	bool alone = nf.settings.hop->side == HOP_SWITCH;
	bool arrived = alone || nf.settings.traffic->outside || all_arrived();
	bool balanced = alone ? io_hop_is_balanced(&nf.io) : chain_balanced(&nf.chain) && arrived;
	totals_print(stdout, &nf.plan, &nf.sink, &probe, balanced);
	if (!balanced)
		fprintf(stderr, "the totals do not add up: in = sent + policy + lost + bad does not hold, or the sink "
				"did not receive what was sent\n");
	if (nf.sink.dump.path != NULL && !dump_write(&nf.sink.dump)) {
		fprintf(stderr, "--dump %s: cannot write: %s\n", nf.sink.dump.path, strerror(errno));
		return EXIT_RUNTIME;
	}
	return balanced ? EXIT_SUCCESS : EXIT_RUNTIME;
}

static void close_all(void)
{
	dump_close(&nf.sink.dump);
	trial_close(&nf.plan.traffic.trial);
	plan_close(&nf.plan);
	rte_free(nf.readers);
	if (!nf.settings.traffic->outside)
		generator_close(&nf.generator);
	chain_fini(&nf.chain);
	reload_release();
	io_close(&nf.io);
	nalm_probe_close(&probe);
	rte_eal_cleanup();
}

/* The index of "--", after which this program's own options begin; 0 without it: all options are its own. */
static int find_own_options(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--") == 0)
			return i;
	return 0;
}

static bool start_eal(int own, char **argv)
{
	int count = own == 0 ? 1 : own;
	char *end = argv[count];

	argv[count] = NULL;
	int err = rte_eal_init(count, argv);
	argv[count] = end;
	if (err < 0)
		fprintf(stderr, "EAL does not start: %s; without huge pages give --no-huge -m 256 --no-shconf\n",
			rte_strerror(rte_errno));
	return err >= 0;
}

int main(int argc, char **argv)
{
	int own = find_own_options(argc, argv);

	if (!options_parse(&nf.options, argc - own, argv + own))
		return EXIT_USAGE;
	if (nf.options.help) {
		options_usage(argv[0]);
		return EXIT_SUCCESS;
	}
	if (!settings_read(&nf.settings, &nf.chain, &nf.options)) {
		settings_free(&nf.settings);
		return EXIT_USAGE;
	}
	if (nf.options.check_config) {
		printf("%s: good\n", nf.options.config);
		settings_free(&nf.settings);
		return EXIT_SUCCESS;
	}
	if (!reload_prepare())
		return EXIT_RUNTIME;
	catch_signals();
	if (nf.settings.hop->next != NULL) {
		watch_second();
		if (!hop_second_start(&nf.second, nf.settings.hop, argv, own == 0 ? 1 : own))
			return EXIT_RUNTIME;
	}
	if (!start_eal(own, argv))
		return EXIT_USAGE;
	if (!nf.settings.traffic->outside)
		transparent_pages_use();
	int status = start() && run() ? finish() : EXIT_RUNTIME;
	if (status == EXIT_RUNTIME) {
		if (nf.settings.hop->next != NULL)
			(void)unlink(nf.settings.hop->path);
		return status; /* the system frees what an incomplete start leaves */
	}
	close_all();
	settings_free(&nf.settings);
	return status;
}
