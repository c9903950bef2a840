/* SPDX-License-Identifier: Apache-2.0
 *
 * A program on the replacement of DPDK: receives packets from port 0 and sends them there. It starts its port STARTS
 * times (argument; 0: it ends by a signal instead).
 */
#include <stdint.h>
#include <stdlib.h>

enum { BURST = 32 };

int rte_eth_dev_start(uint16_t port);
uint16_t standin_burst(uint16_t port, int direction, void **packets, uint16_t n);

int main(int argc, char **argv)
{
	void *packets[BURST];
	int starts = argc > 1 ? atoi(argv[1]) : 1;
	if (starts == 0)
		abort();
	for (int i = 0; i < starts; i++)
		if (rte_eth_dev_start(0) != 0)
			return 1;
	for (;;)
		standin_burst(0, 1, packets, standin_burst(0, 0, packets, BURST));
}
