/** Prefix of ids that combine a server and a model's name: `srv_<serverId>/<name>`. */
const serverModelPrefix = "srv_"

/** Returns the id of a model on a server, for use wherever a model id is accepted. */
export const serverModelId = (serverId: string, name: string): string =>
  `${serverModelPrefix}${serverId}/${name}`

/** Returns the server and the name in an id; null for ids of models on this computer. */
export function parseServerModelId(id: string): { serverId: string; name: string } | null {
  const slash = id.indexOf("/")
  if (!id.startsWith(serverModelPrefix) || slash === -1) return null
  return { serverId: id.slice(serverModelPrefix.length, slash), name: id.slice(slash + 1) }
}
