import type { ChatRequest } from "../../../../shared/contract/chat.ts"
import { AppError, invalidField } from "../../../../shared/contract/errors.ts"
import type { Notice } from "../../../../shared/contract/folders.ts"
import type { Project } from "../../../../shared/contract/projects.ts"
import { createNotice, sentence } from "../../../../shared/sentences/sentences.ts"
import { reachesFolders, type Caller } from "../../../http/caller.ts"
import type { ChatAssistant } from "./turn.ts"

export interface ProjectDeps {
  /** Returns a user's project with the folders that the user may search now, or null if there is none. */
  project(userId: string, id: string): Promise<Project | null>
  /** Returns the project of a chat, or undefined if there is no such chat. */
  projectOfChat(userId: string, chatId: string): Promise<{ projectId: string | null } | undefined>
  assistant(userId: string, id: string): Promise<ChatAssistant | null>
}

/** The instructions and folders that the chat's project adds to a question. */
export interface ProjectContext {
  /** The request, completed with the project's folders and assistant. */
  request: ChatRequest
  projectId: string | null
  instructions: string
  /** Whether a scoped key wrote the instructions or chose the assistant. */
  isByScopedKey: boolean
  notices: Notice[]
}

/** Throws `validation` for a project that the caller doesn't have. */
export async function resolveProject(
  deps: ProjectDeps,
  caller: Caller,
  request: ChatRequest,
): Promise<ProjectContext> {
  const { userId } = caller
  const getProject = async (id: string | null) => (id === null ? null : deps.project(userId, id))
  const named = request.projectId ?? null
  const requestedProject = await getProject(named)
  if (named !== null && !requestedProject) throw invalidField("projectId", sentence("projects.none_such"))
  const begun = await deps.projectOfChat(userId, request.id)
  const project = !begun || begun.projectId === named ? requestedProject : await getProject(begun.projectId)
  if (project === null)
    return { request, projectId: null, instructions: "", isByScopedKey: false, notices: [] }
  const hasFolders = project.vectorIds.length > 0
  const folders = reachesFolders(caller) ? project.vectorIds : []
  return {
    request: {
      ...request,
      vector: [...new Set([...(request.vector ?? []), ...folders])],
      assistantId: request.assistantId ?? (await usableAssistant(deps, userId, project.assistantId)),
    },
    projectId: project.id,
    instructions: project.instructions,
    isByScopedKey: project.writtenByScopedKey === true,
    notices: hasFolders && !reachesFolders(caller) ? [createNotice("folders_left_out")] : [],
  }
}

/** Returns null if the assistant is gone or disabled; the model then answers the project's questions without it. */
async function usableAssistant(deps: ProjectDeps, userId: string, id: string | null): Promise<string | null> {
  if (id === null) return null
  try {
    return (await deps.assistant(userId, id))?.id ?? null
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
