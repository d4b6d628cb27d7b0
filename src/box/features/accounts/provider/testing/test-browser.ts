/** Keeps cookies by origin, as far as sign-ins need it, and follows redirects. */
export function createTestBrowser() {
  const jars = new Map<string, Map<string, string>>()

  async function get(address: string): Promise<Response> {
    const { origin } = new URL(address)
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    const cookie = [...jar].map((pair) => pair.join("=")).join("; ")
    const answer = await fetch(address, { redirect: "manual", headers: { cookie } })
    for (const line of answer.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";")[0] ?? "").split("=")
      if (value === "" || /expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }

  return {
    get,
    /** Follows redirects until it reaches the page, or an address that `stop` accepts. Returns that address. */
    async visit(address: string, stop: (address: string) => boolean = () => false): Promise<string> {
      let at = address
      for (let hops = 0; hops < 20; hops++) {
        if (at.includes("/#/") || stop(at)) return at
        // oxlint-disable-next-line no-await-in-loop -- one leads to the next
        const answer = await get(at)
        const location = answer.headers.get("location")
        if (location === null) return `${at} answered ${answer.status}: ${await answer.text()}`
        at = new URL(location, at).href
      }
      throw new Error("It never ends.")
    },
  }
}
