/** The key of a user's own server. The name part contains no `_`, so that tools of two servers can't have the same name. */
export function toServerKey(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
  return `mcp_${plain || "server"}`
}
