import { t } from "i18next"
import { isValidElement, type ComponentType, type ReactNode } from "react"
import type { Components } from "hast-util-to-jsx-runtime"
import { citationElement } from "./parse/citations.ts"
import { CitationButton } from "./CitationButton.tsx"
import { CodeBlock } from "./CodeBlock.tsx"
import { SafeLink } from "./SafeLink.tsx"
import { safeUrl } from "./safe-url.ts"

function getLanguage(code: ReactNode): string | undefined {
  if (!isValidElement<{ className?: string }>(code)) return undefined
  return /language-([\w+#-]{1,40})/.exec(code.props.className ?? "")?.[1]
}

const citation: Record<string, ComponentType<{ number: number }>> = {
  [citationElement]: ({ number }) => <CitationButton number={number} />,
}

/** Components for Markdown's elements. Images become links, so that nothing is fetched unless the reader asks for it. */
export const markdownElements: Components = {
  a: ({ href, children }) => <SafeLink href={href}>{children}</SafeLink>,
  img: ({ src, alt }) => {
    const name =
      alt === undefined || alt === ""
        ? t("chat:markdown.image")
        : t("chat:markdown.namedImage", { name: alt })
    return safeUrl(src ?? "") ? <SafeLink href={src}>{name}</SafeLink> : <span>{name}</span>
  },
  pre: ({ children }) => <CodeBlock language={getLanguage(children)}>{children}</CodeBlock>,
  // Markdown creates inputs only for task lists.
  input: ({ checked }) => (
    <input
      type="checkbox"
      disabled
      checked={checked === true}
      aria-label={checked === true ? t("chat:markdown.done") : t("chat:markdown.notDone")}
    />
  ),
  table: ({ children }) => (
    <section
      aria-label={t("chat:markdown.table")}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
      tabIndex={0}
      className="my-3 overflow-x-auto focus-visible:-outline-offset-2"
    >
      <table>{children}</table>
    </section>
  ),
  ...citation,
}
