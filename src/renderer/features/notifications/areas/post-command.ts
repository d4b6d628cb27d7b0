/** The command that posts a notification, for the shells of Linux and macOS. */
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

/** One word for a shell, whatever it holds. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
