/** The command that posts a notification, for the shells of Linux and macOS. */
export function postCommand(
  address: string,
  notification: { title: string; category: string; deepLink: string },
): string {
  const url = `${address}/api/public/notifications`
  return `curl ${url} -H "x-api-key: $KEY" -H "content-type: application/json" -d ${quoted(JSON.stringify(notification))}`
}

/** One word for a shell, whatever it holds. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
