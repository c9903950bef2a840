// SPDX-License-Identifier: Apache-2.0
import { createTheme } from "@mantine/core";

export const theme = createTheme({
  primaryColor: "teal",
  primaryShade: { light: 7, dark: 6 },
  colors: {
    teal: [
      "#e6f6f6",
      "#cdeaea",
      "#9ed5d6",
      "#6abfc1",
      "#4db5b8",
      "#1f9599",
      "#0f7f84",
      "#0b6b70",
      "#08565a",
      "#053f42",
    ],
    dark: [
      "#e4e8ed",
      "#c7ced6",
      "#a3adb9",
      "#7b8693",
      "#3a424d",
      "#2c333d",
      "#20262e",
      "#181c22",
      "#13171c",
      "#0e1115",
    ],
  },
  fontFamily:
    'Inter, "Segoe UI", system-ui, -apple-system, "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", "DejaVu Sans Mono", monospace',
  fontSizes: { xs: "0.78rem", sm: "0.87rem", md: "0.95rem", lg: "1.08rem", xl: "1.2rem" },
  defaultRadius: "md",
  focusRing: "auto",
  respectReducedMotion: true,
});
