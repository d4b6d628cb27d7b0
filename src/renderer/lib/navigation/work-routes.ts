/** Routes of the automation pages, below `routes.work`. */
export const workRoutes = {
  month: "/work?month",
  new: "/work/new",
  /** The history of file changes. */
  filed: "/work/filed",
  /** A new automation: from a template, for files that arrive in a folder, or from a chat's question. */
  newWith: (what: "template" | "folder" | "chat", id: string) =>
    `/work/new?${what}=${encodeURIComponent(id)}`,
  one: (id: string) => `/work/${encodeURIComponent(id)}`,
  editor: (id: string) => `/work/${encodeURIComponent(id)}/edit`,
}
