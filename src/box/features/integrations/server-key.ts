/** The key of a user's own server. Its name holds no `_`, so that no two servers' functions can share a name. */
export function keyOfName(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
  return `mcp_${plain || "server"}`
}
