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

/** A search that the address keeps; the key `/` goes to it. A value that it did not send takes the place of its text. */
export function SearchBox({ label, placeholder, value, onChange }: Props) {
  const [typed, setTyped] = useState(value ?? "");
  const input = useRef<HTMLInputElement>(null);
  /** The value as it was last, then what was sent since and has not come back as the value. */
  const known = useRef([value]);
  const latest = useRef(onChange);
  latest.current = onChange;
  useKeys({ "/": () => input.current?.focus() });
  useEffect(() => {
    if (value !== known.current[0]) {
      const own = known.current.lastIndexOf(value);
      known.current = own < 0 ? [value] : known.current.slice(own);
      if (own < 0) {
        setTyped(value ?? "");
        return;
      }
    }
    const text = typed.trim() || undefined;
    if (text === known.current.at(-1)) return;
    const timer = setTimeout(() => {
      known.current.push(text);
      latest.current(text);
    }, PAUSE_MS);
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
