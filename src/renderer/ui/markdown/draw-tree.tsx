import type { Root } from "hast"
import { toJsxRuntime } from "hast-util-to-jsx-runtime"
import type { ReactNode } from "react"
import { Fragment, jsx, jsxs } from "react/jsx-runtime"
import { markdownElements } from "./markdown-elements.tsx"

/** Renders a safe tree as React elements. */
export const drawTree = (root: Root): ReactNode =>
  toJsxRuntime(root, {
    Fragment,
    jsx,
    jsxs,
    components: markdownElements,
    ignoreInvalidStyle: true,
    passKeys: true,
  })
