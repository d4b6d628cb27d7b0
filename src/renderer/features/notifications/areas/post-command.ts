/** The command that posts a notification, for Linux and macOS shells. */
export function postCommand(
  address: string,
  notification: { title: string; category: string; deepLink: string },
): string {
  return [
    `curl ${address}/api/public/notifications`,
    `-H "x-api-key: $KEY"`,
    `-H "content-type: application/json"`,
    `-d ${quoted(JSON.stringify(notification))}`,
  ].join(" \\\n  ")
}

/** Quotes a text as a single shell word, whatever it contains. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
