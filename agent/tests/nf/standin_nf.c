/* SPDX-License-Identifier: Apache-2.0
 *
 * A program on the replacement of DPDK: receives packets from its ports and sends them there. It starts its ports
 * STARTS times (argument; 0: it ends by a signal instead), has PORTS ports (argument), and sends EACH packets a call
 * (argument; 0: all at once).
 */
#include <stdint.h>
#include <stdlib.h>

enum { BURST = 32 };

int rte_eth_dev_start(uint16_t port);
uint16_t standin_burst(uint16_t port, int direction, void **packets, uint16_t n);

int main(int argc, char **argv)
{
	void *packets[BURST];
	int starts = argc > 1 ? atoi(argv[1]) : 1, ports = argc > 2 ? atoi(argv[2]) : 1;
	int each = argc > 3 ? atoi(argv[3]) : 0;
	if (starts == 0)
		abort();
	for (int i = 0; i < starts * ports; i++)
		if (rte_eth_dev_start((uint16_t)(i % ports)) != 0)
			return 1;
	for (int port = 0;; port = (port + 1) % ports) {
		uint16_t received = standin_burst((uint16_t)port, 0, packets, BURST), sent = 0, n;
		while (sent < received) {
			n = each != 0 && each < received - sent ? (uint16_t)each : (uint16_t)(received - sent);
			sent += standin_burst((uint16_t)port, 1, packets + sent, n);
		}
	}
}
