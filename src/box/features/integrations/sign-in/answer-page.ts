/**
 * The page that a browser shows when a provider's redirect fails. It is in the first supported language of `accepted`, or in English. It
 * contains no script and no content from the provider.
 */
export function answerPage(accepted: readonly string[], reason: string): string {
  const language = accepted.map((tag) => tag.slice(0, 2)).find((tag) => answers.has(tag)) ?? "en"
  const { title = "", text = reason } = answers.get(language) ?? {}
  return `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${escape(title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto 0;padding:0 1.5rem}h1{font-size:1.25rem}</style>
<h1>${escape(title)}</h1><p>${escape(text)}</p></html>`
}

/** Texts by language. The reason itself is in English, and apps translate it themselves. */
const answers = new Map<string, { title: string; text?: string }>([
  ["en", { title: "It couldn't be linked" }],
  [
    "it",
    {
      title: "Il collegamento non è riuscito",
      text: "Torna a Casella: lì c’è scritto il perché, e puoi riprovare.",
    },
  ],
])

const escape = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0) ?? 0};`)
