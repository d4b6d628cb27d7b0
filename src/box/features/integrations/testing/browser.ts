/** Follows redirects from a URL like a browser, with its cookies. Returns the URL, status and text of the last page. */
export async function browse(address: string): Promise<{ url: string; status: number; text: string }> {
  const jars = new Map<string, Map<string, string>>()
  let url = new URL(address)
  for (let hop = 0; hop < 10; hop++) {
    const jar = jars.get(url.host) ?? new Map<string, string>()
    jars.set(url.host, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(url, { redirect: "manual", headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    const location = response.headers.get("location")
    if (location === null) return { url: url.href, status: response.status, text: await response.text() }
    await response.body?.cancel()
    url = new URL(location, url)
  }
  throw new Error("The redirects never end.")
}
