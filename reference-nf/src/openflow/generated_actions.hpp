/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Code that executes actions. */
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "openflow/generated_fields.hpp"

namespace openflow_generated {

/* Changes of the packet at hand, its meter and its outcome. */
class ActionCode : public FieldCode {
protected:
	ActionCode(const openflow_tables *t, size_t bytes, void *buffer) : FieldCode(bytes, buffer), tables(t) {}

	const openflow_tables *tables;
	bool row_at_hand = false; /* r10: the row of the entry that was found */
	std::vector<std::function<void()>> cold; /* code that few packets need, behind the rest */
	Label next_packet, outcome_in_eax, ttl_expired, metered;

	void finish(uint32_t outcome)
	{
		mov(byte[batch + number + lay.batch_outcome], outcome);
		jmp(next_packet, T_NEAR);
	}

	void change(uint32_t kind, Value value, const State &state)
	{
		if (kind == OPENFLOW_DEC_TTL && state.eth_type == ipv4) {
			decrement_ttl();
		} else if (kind == OPENFLOW_SET_ETH_DST || kind == OPENFLOW_SET_ETH_SRC) {
			set_mac(kind == OPENFLOW_SET_ETH_DST ? 0 : AT_SOURCE_MAC, value);
		} else {
			mov(rdi, frame);
			mov(rsi, parsed);
			mov(edx, kind);
			load(rcx, value);
			call_function(reinterpret_cast<size_t>(lay.change));
			test(eax, eax);
			jnz(outcome_in_eax, T_NEAR);
		}
	}

	/* As decrement_ttl() of l3fwd/l3fwd_rewrite.h. */
	void decrement_ttl()
	{
		cmp(byte[frame + AT_TTL], 1);
		jbe(ttl_expired, T_NEAR);
		mov(eax, dword[frame + AT_TTL]);
		xor_(ecx, ecx);
		cmp(eax, 0xfffe0000u);
		setae(cl);
		shl(ecx, 16);
		lea(eax, ptr[rax + rcx + 0xffff]);
		mov(dword[frame + AT_TTL], eax);
	}

	void set_mac(uint32_t at, Value value)
	{
		load_mac(rax, value);
		mov(dword[frame + at], eax);
		shr(rax, 32);
		mov(word[frame + at + 4], ax);
	}

	void set_both_macs(Value destination, Value source)
	{
		if (source.constant) {
			const uint64_t bytes = mac_bytes(source.number);
			load_mac(rax, destination, bytes << 48);
			mov(ptr[frame], rax);
			mov(dword[frame + 8], static_cast<uint32_t>(bytes >> 16));
			return;
		}
		load_mac(rax, destination);
		load_mac(rcx, source);
		mov(rdx, rcx);
		shl(rdx, 48);
		or_(rax, rdx);
		mov(ptr[frame], rax);
		shr(rcx, 16);
		mov(dword[frame + 8], ecx);
	}

	/* An address's bytes as they lie in a frame. */
	static uint64_t mac_bytes(uint64_t address) { return __builtin_bswap64(address << 16); }

	/* behind: bytes that follow the address's. */
	void load_mac(const Reg64 &to, Value value, uint64_t behind = 0)
	{
		if (value.constant) {
			mov(to, mac_bytes(value.number) | behind);
			return;
		}
		load(to, value);
		shl(to, 16);
		bswap(to);
		if (behind != 0) {
			mov(rdx, behind);
			or_(to, rdx);
		}
	}

	void load(const Reg64 &to, Value value)
	{
		if (value.constant) {
			mov(to, value.number);
			return;
		}
		if (!row_at_hand)
			mov(r10, ptr[rsp + STACK_ROW]);
		row_at_hand = true;
		mov(to, ptr[r10 + value.number * 8]);
	}

	void meter(uint32_t meter_number)
	{
		const openflow_limit &limit = tables->limits[meter_number];
		const size_t at = meter_number * sizeof(openflow_bucket);
		auto fill = std::make_shared<Label>(), filled = std::make_shared<Label>();
		auto beyond = std::make_shared<Label>(), within = std::make_shared<Label>();

		mov(r11, ptr[row + offsetof(openflow_row, meters)]);
		mov(rax, ptr[rsp + STACK_NOW]);
		cmp(rax, ptr[r11 + at + offsetof(openflow_bucket, filled_ns)]);
		ja(*fill, T_NEAR);
		L(*filled);
		if (limit.of_byte != 0) {
			movzx(ecx, word[mbuf + lay.mbuf_bytes]);
			imul(rcx, rcx, static_cast<int>(limit.of_byte));
		} else {
			mov(ecx, limit.of_packet);
		}
		mov(rax, ptr[r11 + at + offsetof(openflow_bucket, tokens)]);
		sub(rax, rcx);
		jb(*beyond, T_NEAR);
		mov(ptr[r11 + at + offsetof(openflow_bucket, tokens)], rax);
		inc(qword[r11 + at + offsetof(openflow_bucket, within)]);
		L(*within);
		row_at_hand = false;
		cold.push_back([=, this] {
			L(*fill);
			mov(rdi, reinterpret_cast<size_t>(&tables->limits[meter_number]));
			lea(rsi, ptr[r11 + at]);
			mov(rdx, rax);
			call_function(reinterpret_cast<size_t>(lay.fill));
			mov(r11, ptr[row + offsetof(openflow_row, meters)]);
			jmp(*filled, T_NEAR);
			L(*beyond);
			inc(qword[r11 + at + offsetof(openflow_bucket, beyond)]);
			if (tables->limits[meter_number].remark == 0) {
				jmp(metered, T_NEAR);
				return;
			}
			mov(rdi, frame);
			mov(rsi, parsed);
			mov(edx, tables->limits[meter_number].remark);
			call_function(reinterpret_cast<size_t>(lay.remark));
			jmp(*within, T_NEAR);
		});
	}

	void call_function(size_t address)
	{
		mov(rax, address);
		call(rax);
		row_at_hand = false;
	}

	void count(size_t at) { inc(qword[row + at]); }
};

} // namespace openflow_generated
