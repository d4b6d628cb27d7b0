/** The page that a browser shows when a provider sends it back for nothing. It holds no script and nothing of the provider's. */
export function answerPage({
  title,
  text,
  language,
}: {
  title: string
  text: string
  language: string
}): string {
  return `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${escape(title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto 0;padding:0 1.5rem}h1{font-size:1.25rem}</style>
<h1>${escape(title)}</h1><p>${escape(text)}</p></html>`
}

export const answers = {
  en: {
    failed: "It couldn't be linked",
    why: (message: string) => message,
  },
  it: {
    failed: "Il collegamento non è riuscito",
    // The app has words of its own for every reason.
    why: (_message: string) => "Torna a Casella: lì c’è scritto il perché, e puoi riprovare.",
  },
}

const escape = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0) ?? 0};`)
