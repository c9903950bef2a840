/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Transparent huge pages for EAL's memory, where there are no others.
 */
#ifndef TRANSPARENT_PAGES_H
#define TRANSPARENT_PAGES_H

/* With --no-huge EAL's memory is one file in memory, in pages of 4 KiB: its buffers and tables then miss the TLB, which a
 * deployed NF does not, and 100 MB of them are zeroed page by page at each start. This moves what the file has to private
 * memory at the same addresses, and asks the kernel for huge pages. Call it after rte_eal_init, before anything else
 * uses the memory, and not for ports that hand the file to another process (virtio-user). Without memory for it, or if
 * the kernel refuses, nothing changes. */
void transparent_pages_use(void);

#endif
