/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The classic pcap file format (draft-ietf-opsawg-pcap).
 */
#ifndef PCAP_FORMAT_H
#define PCAP_FORMAT_H

#define PCAP_MAGIC_US 0xa1b2c3d4u
#define PCAP_MAGIC_NS 0xa1b23c4du
#define PCAP_LINKTYPE_ETHERNET 1u
#define PCAP_FILE_HEADER_BYTES 24u
#define PCAP_RECORD_HEADER_BYTES 16u

#endif
