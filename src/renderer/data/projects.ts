import { useMutation, useQuery } from "@tanstack/react-query"
import type { Project, ProjectPatch } from "../../shared/contract/projects.ts"
import { box } from "../lib/box.ts"
import { refreshConversationList } from "./chats/conversations.ts"
import { queryClient } from "./query-client.ts"

const listKey = ["projects"] as const
const pageSize = 200

async function readAll(signal: AbortSignal): Promise<Project[]> {
  const all: Project[] = []
  for (;;) {
    const query = { limit: pageSize, offset: all.length }
    const { projects, pagination } = await box.projects.list({ query }, { signal })
    all.push(...projects)
    if (!pagination.hasMore || projects.length === 0) return all
  }
}

/** Caches the list from the first screen if it is complete. */
export function cacheProjects({ projects, pagination }: Awaited<ReturnType<typeof box.projects.list>>): void {
  if (!pagination.hasMore) queryClient.setQueryData(listKey, projects)
}

/** The user's projects, newest first. */
export const useProjects = () => useQuery({ queryKey: listKey, queryFn: ({ signal }) => readAll(signal) })

/** One project; null if it doesn't exist, undefined while loading. */
export function useProject(id: string | null | undefined): Project | null | undefined {
  const { data } = useProjects()
  return data && (data.find((project) => project.id === id) ?? null)
}

/** Reloads projects and chats, because a change to a project may affect its chats. */
export async function refreshProjects(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: listKey }),
    queryClient.invalidateQueries({ queryKey: ["conversation"] }),
    refreshConversationList(),
  ])
}

type Fields = Omit<Project, "id" | "createdAt" | "writtenByScopedKey">

export const useCreateProject = () =>
  useMutation({
    mutationFn: async (fields: Fields) => (await box.projects.create({ body: fields })).project,
    onSuccess: (project) => {
      queryClient.setQueryData<Project[]>(listKey, (all) => all && [project, ...all])
      return refreshProjects()
    },
  })

export const useUpdateProject = (id: string) =>
  useMutation({
    mutationFn: (body: ProjectPatch) => box.projects.update({ params: { id }, body }),
    onSuccess: refreshProjects,
  })
