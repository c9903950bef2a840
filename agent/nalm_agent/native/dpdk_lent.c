/* SPDX-License-Identifier: Apache-2.0
 *
 * The probe for a DPDK program that has none: preloaded, it wraps the burst functions of every started port. One
 * iteration of an lcore is from one poll of its first queue to the next; the gate is at that poll, where the lcore
 * holds no batch. Stages: rx and tx, the drivers; app, everything between them. In a turn without marks it only counts
 * the packets received, and the program calls the drivers' transmit functions directly.
 *
 * The shim neither links nor includes DPDK, so that it serves every program. It relies only on public symbols of
 * librte_ethdev and librte_eal: rte_eth_dev_start, rte_version_year, rte_version_month, and rte_eth_fp_ops, whose
 * layout changed with DPDK 23.11. It refuses releases with an unknown layout, and a structure that does not match its
 * layout. It does not measure lcores that only transmit, or neither receive nor transmit.
 *
 * If DPDK is linked into the program, a jump replaces rte_eth_dev_start (lent_static.h), and the program must not be
 * stripped. If a plugin brings DPDK, linked into it or as libraries that nothing else needs, its calls reach the probe
 * as the program's do, but DPDK's symbols are found from the plugin alone.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "lent_static.h"
#include "nalm_probe.h"

enum { PORTS = 32 }; /* RTE_MAX_ETHPORTS, unless DPDK is built with more */
enum { RX, APP, TX };
enum { PASS = 0, NOT_SENT = 1, SENT = 0 };
enum { SENDER = 128 };	  /* packets after which a thread that has received none counts as one that only sends */
enum { SETTLING = 2000 }; /* a turn without marks begins to count after this part of a second */

/* Under valgrind, one thread runs at a time: until it has executed 100,000 blocks, or 300 after a `pause`. */
enum { SLICE_PACKETS = 512, SLICES = 128 }; /* at least so many packets a slice; about so many slices a turn */
enum { SLICE_END = 1024 };		    /* blocks, more than follow a `pause` */
enum { SLICE_NS = 1000000, NAPS = 100 };    /* a slice takes longer; naps of 1 ms until one is seen */
enum { THREADS = 64, FIRST_NAPS = 50 };	    /* threads that are waited for; naps until it is known who polls */

struct poller {
	clockid_t clock; /* of its CPU time */
	int64_t ns;	 /* when the lcore began to wait */
};

typedef uint16_t (*burst)(void *queue, void **packets, uint16_t n);
typedef int (*dev_start)(uint16_t port);

/* struct rte_eth_fp_ops (rte_ethdev_core.h): a cache line of words for each direction, with the same layout. */
enum { WORDS = 8, CACHE_LINE = 64 };
union word {
	burst function;
	void *data;
};
struct fast_path {
	union word rx[WORDS], tx[WORDS];
};
_Static_assert(sizeof(struct fast_path) == 2 * CACHE_LINE, "two cache lines");

struct layout {
	unsigned first, last;	/* releases, as year and month: 2311 */
	unsigned burst, queues; /* words of a line: the burst function, its array of queues */
};
/* From rte_ethdev_core.h of every release. */
static const struct layout layouts[] = {{2111, 2307, 0, 3}, {2311, 2607, 2, 0}};

struct lane {
	struct nalm_lcore lc;
	void *first_queue;
	uint32_t received; /* in this iteration */
	uint32_t to_app;   /* of these, not yet handed to app */
	uint64_t held;	   /* received, but neither sent nor dropped */
	uint32_t uncommitted; /* received in a turn without marks */
	uint64_t settles;  /* when such a turn begins to count; 0: it does already */
	uint32_t sent;	   /* before the first poll */
	bool counted;	   /* valgrind runs it */
	uint64_t in_slice; /* packets received since other threads ran; only if counted */
	struct poller others[THREADS];
	unsigned polling; /* of these, in a turn */
};

static const struct nalm_outcome_spec rx_outcomes[] = {{"pass", NALM_KIND_PASS}, {NULL, 0}};
static const struct nalm_outcome_spec app_outcomes[] = {
	{"pass", NALM_KIND_PASS}, {"not_sent", NALM_KIND_POLICY}, {NULL, 0}};
static const struct nalm_outcome_spec tx_outcomes[] = {{"sent", NALM_KIND_SENT}, {NULL, 0}};
static const struct nalm_stage_spec stages[] = {
	{"rx", 0, rx_outcomes}, {"app", 0, app_outcomes}, {"tx", 0, tx_outcomes}, {NULL, 0, NULL}};

static struct nalm_probe probe;
static burst real_rx[PORTS], real_tx[PORTS];
static const burst rx_of[PORTS], bare_rx_of[PORTS], tx_of[PORTS];
static union word *receive[PORTS], *transmit[PORTS]; /* where DPDK keeps the functions of each started port */
static __thread struct lane lane __attribute__((tls_model("initial-exec")));

__attribute__((format(printf, 1, 2), noreturn)) static void give_up(const char *format, ...)
{
	va_list values;
	va_start(values, format);
	fputs("nalm: ", stderr);
	vfprintf(stderr, format, values);
	fputs("\n", stderr);
	_exit(70);
}

static void choose(union word *at, burst marked, burst bare, bool is_bare)
{
	burst now = __atomic_load_n(&at->function, __ATOMIC_RELAXED);
	if (now == marked || now == bare) /* another one: the port was stopped */
		__atomic_store_n(&at->function, is_bare ? bare : marked, __ATOMIC_RELAXED);
}

/* All lcores are at the gate between two turns, so that each may set the functions for the next. */
static void choose_functions(bool bare)
{
	for (uint16_t port = 0; port < PORTS; port++) {
		if (transmit[port] == NULL)
			continue;
		choose(receive[port], rx_of[port], bare_rx_of[port], bare);
		choose(transmit[port], tx_of[port], real_tx[port], bare);
	}
}

#ifdef NALM_HAVE_CALLGRIND
/* The clock of another thread's CPU time, as pthread_getcpuclockid() makes it. */
static clockid_t clock_of(pid_t thread)
{
	return (clockid_t)(~(unsigned)thread << 3 | 6);
}

static void find_others(struct lane *l)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *one;
	pid_t self = (pid_t)syscall(SYS_gettid);

	l->polling = 0;
	while (tasks != NULL && l->polling < THREADS && (one = readdir(tasks)) != NULL) {
		pid_t thread = atoi(one->d_name);
		if (thread > 0 && thread != self)
			l->others[l->polling++].clock = clock_of(thread);
	}
	if (tasks != NULL)
		closedir(tasks);
}

/* Waits until each thread that polls used its CPU. From then on, one that did not does not count as polling. */
static void wait_for_others(struct lane *l, int naps)
{
	const struct timespec nap = {0, 1000000};
	unsigned waiting = l->polling, at;

	for (at = 0; at < waiting; at++)
		l->others[at].ns = (int64_t)nalm_clock_ns(l->others[at].clock);
	for (; waiting != 0 && naps > 0; naps--) {
		nanosleep(&nap, NULL);
		for (at = 0; at < waiting;) {
			struct poller done = l->others[at];
			if ((int64_t)nalm_clock_ns(done.clock) - done.ns < SLICE_NS) {
				at++;
				continue;
			}
			l->others[at] = l->others[--waiting];
			l->others[waiting] = done;
		}
	}
	l->polling -= waiting;
	memmove(l->others, l->others + waiting, l->polling * sizeof(*l->others));
}
#endif

/* Lets threads that poll, such as the other lcores of a pipeline, work off what they have, and begins a slice. Without
 * it, valgrind would interrupt the lcore anywhere, also in the middle of an operation on a ring with several producers,
 * such as a pool's. The next thread that uses the ring then waits, its slice ends early, and its own operation is one
 * that the lcore waits for next: from there on each slice does one operation, and most of what is executed is waiting.
 * Slices that end at a poll also let every count find the rings in the same state. None of this is counted.
 *
 * A thread that just ended its slice may not yet have asked for the next one. So the end of the lcore's slice alone
 * does not let it run, and the lcore looks at the others' CPU time. */
static __attribute__((noinline)) void let_others_run(struct lane *l, bool first)
{
#ifdef NALM_HAVE_CALLGRIND
	CALLGRIND_TOGGLE_COLLECT;
	if (first)
		find_others(l);
	wait_for_others(l, first ? FIRST_NAPS : NAPS);
	__builtin_ia32_pause();
	for (int i = 0; i < SLICE_END; i++)
		__asm__ volatile("" ::: "memory");
	CALLGRIND_TOGGLE_COLLECT;
#endif
	l->in_slice = 0;
}

static void end_slice(struct lane *l)
{
	uint64_t packets = l->lc.control->turn_packets / SLICES;
	l->in_slice += l->received;
	if (l->polling != 0 && (l->received == 0 || l->in_slice >= (packets > SLICE_PACKETS ? packets : SLICE_PACKETS)))
		let_others_run(l, false);
}

static void commit_bare(struct lane *l)
{
	if (nalm_probe_is_bare(&l->lc))
		nalm_probe_commit_bare(&l->lc, l->uncommitted);
	l->uncommitted = 0;
}

static void pass_gate(struct lane *l)
{
	commit_bare(l);
	if (!nalm_probe_gate(&l->lc))
		_exit(0);
	choose_functions(false);
	bool by_time = l->lc.control->turn_packets == 0;
	l->settles = nalm_probe_is_bare(&l->lc) && by_time ? nalm_tsc() + probe.header->tsc_hz / SETTLING : 0;
	l->received = l->to_app = 0;
	l->held = 0;
	if (l->counted)
		let_others_run(l, true);
}

/* Packets held when a turn ends count as dropped by the program; if they are sent later, they are not counted again. */
static void end_turn(struct lane *l)
{
	nalm_probe_outcome(&l->lc, APP, NOT_SENT, (uint32_t)l->held);
	nalm_probe_commit(&l->lc, 0);
	pass_gate(l);
}

static void begin_iteration(struct lane *l, void *queue)
{
	if (l->first_queue == NULL) {
		if (nalm_lcore_claim(&probe, probe.claimed, &l->lc) != 0)
			give_up("the program polls with more lcores than the probe has blocks");
		l->first_queue = queue;
#ifdef NALM_HAVE_CALLGRIND
		l->counted = RUNNING_ON_VALGRIND != 0;
#endif
	} else {
		nalm_probe_commit(&l->lc, l->received);
		if (__builtin_expect(l->counted, 0))
			end_slice(l);
	}
	l->received = 0;
	if (!nalm_probe_ready(&l->lc))
		end_turn(l);
}

/* A turn begins with the caches as another program left them, which the program alone does not meet. Its time counts
 * from when it has settled. */
static void begin_bare_iteration(struct lane *l)
{
	if (l->lc.control->turn_packets != 0)
		commit_bare(l);
	if (!nalm_probe_ready(&l->lc)) {
		pass_gate(l);
	} else if (l->settles != 0 && nalm_tsc() >= l->settles) {
		l->settles = 0;
		l->uncommitted = 0;
		choose_functions(true);
		nalm_turn_enter(&l->lc);
	}
}

static inline uint16_t poll_bare(uint16_t port, void *queue, void **packets, uint16_t n)
{
	uint16_t got = real_rx[port](queue, packets, n);
	lane.uncommitted += got;
	return got;
}

static __attribute__((noinline)) uint16_t lent_rx(uint16_t port, void *queue, void **packets, uint16_t n)
{
	struct lane *l = &lane;
	bool begins = l->first_queue == NULL || l->first_queue == queue;
	if (nalm_probe_is_bare(&l->lc)) {
		if (begins)
			begin_bare_iteration(l);
	} else {
		if (l->first_queue != NULL)
			nalm_probe_mark(&l->lc, APP, l->to_app);
		l->to_app = 0;
		if (begins)
			begin_iteration(l, queue);
	}
	if (nalm_probe_is_bare(&l->lc))
		return poll_bare(port, queue, packets, n);
	uint16_t got = real_rx[port](queue, packets, n);
	nalm_probe_mark(&l->lc, RX, got);
	nalm_probe_outcome(&l->lc, RX, PASS, got);
	l->received += got;
	l->to_app += got;
	l->held += got;
	return got;
}

/* Of a turn without marks that time ends: as little as possible, because the chain's cycles have it. */
static inline uint16_t bare_rx(uint16_t port, void *queue, void **packets, uint16_t n)
{
	if (__builtin_expect(__atomic_load_n(&probe.control->gate, __ATOMIC_RELAXED) != NALM_GATE_OPEN, 0))
		return lent_rx(port, queue, packets, n);
	return poll_bare(port, queue, packets, n);
}

/* An lcore that has not received is not measured: the first one that only sends says so. */
static uint16_t sent_by_other(struct lane *l, uint16_t sent)
{
	static bool reported;
	if (l->sent > SENDER)
		return sent;
	l->sent += sent;
	if (l->sent > SENDER && !__atomic_exchange_n(&reported, true, __ATOMIC_RELAXED))
		fputs("nalm note: a thread sends packets and receives none\n", stderr);
	return sent;
}

static inline uint16_t lent_tx(uint16_t port, void *queue, void **packets, uint16_t n)
{
	struct lane *l = &lane;
	if (l->first_queue == NULL)
		return sent_by_other(l, real_tx[port](queue, packets, n));
	if (nalm_probe_is_bare(&l->lc))
		return real_tx[port](queue, packets, n);
	nalm_probe_mark(&l->lc, APP, l->to_app);
	l->to_app = 0;
	uint16_t sent = real_tx[port](queue, packets, n);
	uint32_t counted = sent < l->held ? sent : (uint32_t)l->held;
	l->held -= counted;
	nalm_probe_mark(&l->lc, TX, counted);
	nalm_probe_outcome(&l->lc, APP, PASS, counted);
	nalm_probe_outcome(&l->lc, TX, SENT, counted);
	return sent;
}

/* The drivers' functions do not get their port, so each port has wrappers of its own. */
#define PORT(number)                                                                                                   \
	static uint16_t rx_process_##number(void *queue, void **packets, uint16_t n)                                   \
	{                                                                                                              \
		return lent_rx(number, queue, packets, n);                                                             \
	}                                                                                                              \
	static uint16_t rx_process_bare_##number(void *queue, void **packets, uint16_t n)                              \
	{                                                                                                              \
		return bare_rx(number, queue, packets, n);                                                             \
	}                                                                                                              \
	static uint16_t tx_process_##number(void *queue, void **packets, uint16_t n)                                   \
	{                                                                                                              \
		return lent_tx(number, queue, packets, n);                                                             \
	}
#define EACH_PORT(OF)                                                                                                  \
	OF(0) OF(1) OF(2) OF(3) OF(4) OF(5) OF(6) OF(7) OF(8) OF(9) OF(10) OF(11) OF(12) OF(13) OF(14) OF(15)          \
	OF(16) OF(17) OF(18) OF(19) OF(20) OF(21) OF(22) OF(23) OF(24) OF(25) OF(26) OF(27) OF(28) OF(29) OF(30) OF(31)
EACH_PORT(PORT)
#define COUNT(number) +1
_Static_assert(EACH_PORT(COUNT) == PORTS, "functions for each port");
#define RX_OF(number) rx_process_##number,
#define BARE_RX_OF(number) rx_process_bare_##number,
#define TX_OF(number) tx_process_##number,
static const burst rx_of[PORTS] = {EACH_PORT(RX_OF)};
static const burst bare_rx_of[PORTS] = {EACH_PORT(BARE_RX_OF)};
static const burst tx_of[PORTS] = {EACH_PORT(TX_OF)};

static struct lent_patch start_patch; /* of a program that DPDK is linked into */
static void *plugin;		      /* that brought DPDK, with symbols that only the plugin itself finds */

static void *symbol(const char *name)
{
	if (start_patch.at != NULL)
		return lent_symbol(name, 0);
	return dlsym(plugin != NULL ? plugin : RTLD_DEFAULT, name);
}

/* DPDK's function that this file's one replaces. caller: an address in the code that called it. */
static dev_start replaced_start(const void *caller)
{
	void *found = dlsym(RTLD_NEXT, "rte_eth_dev_start");
	Dl_info object;
	if (found == NULL && dladdr(caller, &object) != 0) {
		plugin = dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
		found = plugin != NULL ? dlsym(plugin, "rte_eth_dev_start") : NULL;
	}
	if (found == NULL)
		give_up("neither the program nor the plugin that starts a port has rte_eth_dev_start of DPDK");
	return (dev_start)found;
}

static unsigned version_part(const char *name)
{
	unsigned (*part)(void) = (unsigned (*)(void))symbol(name);
	if (part == NULL)
		give_up("this DPDK has no %s: the layout of its rte_eth_fp_ops is not known", name);
	return part();
}

static const struct layout *layout_of_release(void)
{
	unsigned year = version_part("rte_version_year"), month = version_part("rte_version_month");
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (year * 100 + month >= layouts[i].first && year * 100 + month <= layouts[i].last)
			return &layouts[i];
	give_up("DPDK %u.%02u: the layout of its rte_eth_fp_ops is not known to this probe (known: 21.11 to 26.07)", year,
		month);
}

static bool is_code(const void *address)
{
	bool found = false;
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "re");
	if (maps == NULL)
		give_up("/proc/self/maps cannot be read: what rte_eth_fp_ops holds cannot be checked");
	while (!found && fgets(line, sizeof(line), maps) != NULL) {
		uintptr_t begin, end;
		char allowed[5];
		found = sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &begin, &end, allowed) == 3 &&
			(uintptr_t)address >= begin && (uintptr_t)address < end && allowed[2] == 'x';
	}
	fclose(maps);
	return found;
}

static void check(const struct layout *layout, const union word line[WORDS], uint16_t port, const char *direction)
{
	if (!is_code(line[layout->burst].data) || is_code(line[layout->queues].data))
		give_up("port %u: rte_eth_fp_ops does not hold a %s function and its queues where DPDK %u.%02u to %u.%02u has "
			"them",
			port, direction, layout->first / 100, layout->first % 100, layout->last / 100, layout->last % 100);
}

static void lend(uint16_t port)
{
	struct fast_path *paths = (struct fast_path *)symbol("rte_eth_fp_ops");
	if (paths == NULL)
		give_up("this DPDK has no rte_eth_fp_ops: it is older than 21.11");
	const struct layout *layout = layout_of_release();
	if (port >= PORTS)
		give_up("the program starts a port beyond the first 32");
	union word *rx = &paths[port].rx[layout->burst], *tx = &paths[port].tx[layout->burst];
	if (rx->function == rx_of[port] || rx->function == bare_rx_of[port]) /* already started: DPDK did nothing */
		return;
	check(layout, paths[port].rx, port, "receive");
	check(layout, paths[port].tx, port, "transmit");
	if (probe.base == NULL) {
		if (nalm_probe_open(&probe, program_invocation_short_name, stages, nalm_tsc_hz(), NULL) != 0)
			give_up("the probe's file cannot be made");
		nalm_probe_bare_turns(&probe);
	}
	real_rx[port] = rx->function;
	real_tx[port] = tx->function;
	receive[port] = rx;
	transmit[port] = tx;
	rx->function = rx_of[port];
	tx->function = tx_of[port];
}

/* Replaces DPDK's function, which it calls. */
__attribute__((visibility("default"))) int rte_eth_dev_start(uint16_t port)
{
	int failed = replaced_start(__builtin_return_address(0))(port);
	if (failed == 0)
		lend(port);
	return failed;
}

static int start_of_static_dpdk(uint16_t port)
{
	dev_start real = (dev_start)(void *)start_patch.at;
	if (!lent_patch_remove(&start_patch))
		give_up("rte_eth_dev_start cannot be written");
	int failed = real(port);
	if (!lent_patch_apply(&start_patch))
		give_up("rte_eth_dev_start cannot be written");
	if (failed == 0)
		lend(port);
	return failed;
}

__attribute__((constructor)) static void find_static_dpdk(void)
{
#if defined(__x86_64__)
	void *start = lent_symbol("rte_eth_dev_start", LENT_JUMP);
	if (start != NULL && !lent_patch_init(&start_patch, start, (void *)start_of_static_dpdk))
		give_up("rte_eth_dev_start cannot be written");
#endif
}
