/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Execution model run to completion: one lcore takes a batch through the whole chain.
 */
#ifndef RTC_H
#define RTC_H

#include <signal.h>
#include <stdatomic.h>

#include "io/generator.h"
#include "io/sink.h"
#include "model/chain.h"

struct rtc {
	struct io *io;
	struct chain *chain;
	struct generator *generator;
	struct sink *sink;
	uint64_t ns_per_packet;
	const volatile sig_atomic_t *stop;
	/* Written by the NF's lcore only. */
	uint64_t received __attribute__((aligned(64))); /* so far, priming included: virtual time / ns_per_packet */
	struct batch batch;
	/* Two lcores. Release by the one who ends, acquire by the other. */
	atomic_bool source_ended __attribute__((aligned(64))); /* generator: nothing comes any more */
	atomic_bool nf_ended;	  /* NF: nothing more is sent */
};

/* Opens every flow through the chain itself, then forgets the counts. Before any loop, on one thread. */
void rtc_prime(struct rtc *rtc);

/* Loops until the gate says finish, a signal came or nothing is left. */
void rtc_run_shared(struct rtc *rtc, struct nalm_lcore *lcore);	 /* generator, NF and sink on one lcore */
void rtc_run_nf(struct rtc *rtc, struct nalm_lcore *lcore);	 /* NF alone */
void rtc_run_traffic(struct rtc *rtc, struct nalm_lcore *lcore); /* generator and sink on an lcore of their own */

#endif
