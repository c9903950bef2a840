// SPDX-License-Identifier: Apache-2.0
import { CloseButton, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useKeys } from "../hooks/useKeys";

/** After this pause in typing the search begins. Milliseconds. */
const PAUSE_MS = 250;

interface Props {
  label: string;
  /** What may be typed, as an example. */
  placeholder: string;
  value: string | undefined;
  onChange: (text: string | undefined) => void;
}

/** A search that the address keeps; the key `/` goes to it. */
export function SearchBox({ label, placeholder, value, onChange }: Props) {
  const [typed, setTyped] = useState(value ?? "");
  const input = useRef<HTMLInputElement>(null);
  const latest = useRef(onChange);
  latest.current = onChange;
  useKeys({ "/": () => input.current?.focus() });
  useEffect(() => {
    const text = typed.trim() || undefined;
    if (text === value) return;
    const timer = setTimeout(() => latest.current(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value]);
  return (
    <TextInput
      ref={input}
      type="search"
      className="search-box"
      size="xs"
      aria-label={label}
      aria-keyshortcuts="/"
      placeholder={placeholder}
      maxLength={256}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      rightSection={
        typed && <CloseButton size="xs" aria-label="Clear the search" onClick={() => setTyped("")} />
      }
    />
  );
}
