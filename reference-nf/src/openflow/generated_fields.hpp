/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Code that reads and compares fields of a packet. */
#pragma once

#include <functional>

#include <xbyak/xbyak.h>

#include "openflow/generated_known.hpp"

namespace openflow_generated {

using Xbyak::Label;
using Xbyak::Reg64;

/* Registers, and fields of the packet at hand. */
class FieldCode : public Xbyak::CodeGenerator {
protected:
	using CodeGenerator::CodeGenerator;

	/* What stays the same throughout: all are preserved over calls. */
	const Reg64 frame = rbx, parsed = rbp, batch = r12, number = r13, row = r14, mbuf = r15;

	void load_frame()
	{
		mov(mbuf, ptr[batch + number * 8 + lay.batch_mbufs]);
		movzx(ecx, word[mbuf + lay.mbuf_data]);
		mov(frame, ptr[mbuf + lay.mbuf_buffer]);
		add(frame, rcx);
	}

	/* Goes to fail if the field is another. Returns false if nothing had to be compared; known learns from it. */
	bool compare(const openflow_term &term, State &known, Label &fail)
	{
		if (term.field == OPENFLOW_ETH_TYPE) {
			if (known.eth_type == term.value)
				return false;
			/* extended by its sign, as the instruction does */
			const auto type = static_cast<int16_t>(__builtin_bswap16(static_cast<uint16_t>(term.value)));
			cmp(word[frame + AT_TYPE], static_cast<uint32_t>(type));
			jne(fail, T_NEAR);
			known.eth_type = static_cast<uint32_t>(term.value);
			return true;
		}
		const bool whole = term.mask == full_masks[term.field];
		if (known.eth_type == ipv4 && (term.field == OPENFLOW_IPV4_SRC || term.field == OPENFLOW_IPV4_DST)) {
			compare_ipv4(term, term.field == OPENFLOW_IPV4_SRC ? AT_IPV4_SRC : AT_IPV4_DST);
		} else if (term.field == OPENFLOW_IP_PROTO && whole) {
			cmp(byte[parsed + lay.packet_protocol], static_cast<uint32_t>(term.value));
		} else if (term.field == OPENFLOW_IP_DSCP && known.eth_type == ipv4 && whole && term.value == 0) {
			test(byte[frame + AT_IP + 1], 0xfc);
		} else if ((term.field == OPENFLOW_L4_SRC || term.field == OPENFLOW_L4_DST) && whole) {
			compare_port(term, term.field == OPENFLOW_L4_SRC ? 0 : 2, fail);
		} else {
			load_field(term.field, known);
			mask(term);
			compare_rax(term.value);
		}
		jne(fail, T_NEAR);
		return true;
	}

	void compare_ipv4(const openflow_term &term, uint32_t at)
	{
		const uint32_t value = __builtin_bswap32(static_cast<uint32_t>(term.value));

		if (term.mask == UINT32_MAX) {
			cmp(dword[frame + at], value);
			return;
		}
		if (term.mask == 0xff000000) {
			cmp(byte[frame + at], value);
			return;
		}
		mov(eax, dword[frame + at]);
		and_(eax, __builtin_bswap32(static_cast<uint32_t>(term.mask)));
		cmp(eax, value);
	}

	/* No port fails: its value is none of 16 bits. */
	void compare_port(const openflow_term &term, uint32_t at, Label &fail)
	{
		cmp(byte[parsed + lay.packet_kind], lay.kind_l4);
		jne(fail, T_NEAR);
		movzx(eax, word[parsed + lay.packet_l4]);
		movzx(eax, word[frame + rax + at]);
		cmp(eax, __builtin_bswap16(static_cast<uint16_t>(term.value)));
	}

	void compare_rax(uint64_t value)
	{
		if (value <= INT32_MAX) {
			cmp(rax, static_cast<uint32_t>(value));
		} else {
			mov(rcx, value);
			cmp(rax, rcx);
		}
	}

	/* Leaves the term's bits of rax. */
	void mask(const openflow_term &term)
	{
		if (term.mask == full_masks[term.field])
			return;
		mov(rcx, term.mask);
		and_(rax, rcx);
	}

	/* rax: the packet's field, as struct openflow_key has it. */
	void load_field(uint32_t field, const State &known)
	{
		switch (field) {
		case OPENFLOW_IN_PORT: /* 65535, no port, becomes 1 as 0 does */
			movzx(eax, word[mbuf + lay.mbuf_port]);
			inc(ax);
			movzx(eax, ax);
			cmp(eax, 1);
			adc(eax, 0);
			break;
		case OPENFLOW_METADATA:
			mov(rax, ptr[rsp + STACK_METADATA]);
			break;
		case OPENFLOW_ETH_DST:
		case OPENFLOW_ETH_SRC:
			mov(rax, ptr[frame + (field == OPENFLOW_ETH_DST ? 0 : AT_SOURCE_MAC)]);
			bswap(rax);
			shr(rax, 16);
			break;
		case OPENFLOW_ETH_TYPE:
			movzx(eax, word[frame + AT_TYPE]);
			rol(ax, 8);
			break;
		case OPENFLOW_IP_PROTO:
			movzx(eax, byte[parsed + lay.packet_protocol]);
			break;
		case OPENFLOW_IP_DSCP:
			load_dscp(known);
			break;
		case OPENFLOW_IPV4_SRC:
			load_ip(4, known, [this] { mov(eax, dword[frame + AT_IPV4_SRC]), bswap(eax); });
			break;
		case OPENFLOW_IPV4_DST:
			load_ip(4, known, [this] { mov(eax, dword[frame + AT_IPV4_DST]), bswap(eax); });
			break;
		case OPENFLOW_IPV6_SRC:
		case OPENFLOW_IPV6_SRC_LOW:
		case OPENFLOW_IPV6_DST:
		case OPENFLOW_IPV6_DST_LOW:
			load_ip(6, known, [this, field] {
				mov(rax, ptr[frame + AT_IPV6_SRC + (field - OPENFLOW_IPV6_SRC) * 8]);
				bswap(rax);
			});
			break;
		default:
			load_port(field == OPENFLOW_L4_SRC ? 0 : 2);
		}
	}

	static_assert(AT_IPV6_DST == AT_IPV6_SRC + 16, "the four words of addresses follow each other");

	/* 0 where the packet is not of this version. */
	void load_ip(uint32_t version, const State &known, const std::function<void()> &load_it)
	{
		Label other;

		if (known.eth_type == (version == 4 ? ipv4 : ipv6)) {
			load_it();
			return;
		}
		xor_(eax, eax);
		cmp(byte[parsed + lay.packet_version], version);
		jne(other, T_NEAR);
		load_it();
		L(other);
	}

	void load_dscp(const State &known)
	{
		Label end;

		if (known.eth_type == ipv4) {
			movzx(eax, byte[frame + AT_IP + 1]);
			shr(eax, 2);
			return;
		}
		load_ip(4, known, [this] { movzx(eax, byte[frame + AT_IP + 1]), shr(eax, 2); });
		cmp(byte[parsed + lay.packet_version], 6);
		jne(end, T_NEAR);
		movzx(eax, word[frame + AT_IP]);
		rol(ax, 8);
		shr(eax, 6);
		and_(eax, 63);
		L(end);
	}

	void load_port(uint32_t at)
	{
		Label none;

		mov(eax, OPENFLOW_NO_L4);
		cmp(byte[parsed + lay.packet_kind], lay.kind_l4);
		jne(none, T_NEAR);
		movzx(eax, word[parsed + lay.packet_l4]);
		movzx(eax, word[frame + rax + at]);
		rol(ax, 8);
		L(none);
	}
};

} // namespace openflow_generated
