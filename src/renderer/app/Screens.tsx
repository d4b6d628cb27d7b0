import { t } from "i18next"
import { useEffect, Suspense } from "react"
import { useSearchParams, Route, Switch, useLocation } from "wouter"
import { markChatRead, useConversation } from "../data/chats/conversations.ts"
import { ChatPage, NewChat } from "../features/chat/ChatPage.tsx"
import { ConversationMenu, ConversationRow } from "../features/conversations/ConversationRow.tsx"
import { later } from "../lib/later.ts"
import { areas, inboxAreaIds } from "../lib/navigation/areas.ts"
import { navigate } from "../lib/navigation/hash-location.ts"
import { documentParameter } from "../lib/navigation/open-document.ts"
import { routes } from "../lib/navigation/routes.ts"
import { readDraft, writeDraft } from "../lib/remembered.ts"
import { NotFound } from "../ui/PageParts.tsx"
import { Spinner } from "../ui/Progress.tsx"
import { WaitingCalls } from "./AppBell.tsx"
import { FirstRun } from "./first-run/FirstRun.tsx"

/** Puts text from a link into the next new chat, below any draft, and never sends it. */
function PrefilledChat({ text }: { text: string }) {
  useEffect(() => {
    const started = readDraft("new-chat")
    writeDraft("new-chat", started.trim() === "" ? text : `${started}\n\n${text}`)
    navigate(routes.newChat, { replace: true })
  }, [text])
  return null
}

/** A stored chat with the actions of the chat list. */
function ChatScreen({ chatId }: { chatId: string }) {
  const [search] = useSearchParams()
  const branch = search.get("branch") ?? undefined
  const message = search.get("message") ?? undefined
  const { data: shown } = useConversation(chatId, branch, true)
  // A search result may be in an earlier version, which is then shown as the current one.
  const isInOtherVersion =
    message !== undefined && shown != null && !shown.messages.some(({ id }) => id === message)
  const version = isInOtherVersion ? message : branch
  const { data: conversation } = useConversation(chatId, version, true)
  useMarkRead(chatId, conversation?.unread === true ? conversation.updatedAt : undefined)
  return (
    <ChatPage
      chatId={chatId}
      branch={version}
      target={message}
      menu={conversation && <ConversationMenu chat={conversation} />}
    />
  )
}

/**
 * Marks a chat as read while it is on screen and the page is in the foreground. Runs again on each change of `unreadSince`, because an
 * answer may end while the previous one is being marked.
 */
function useMarkRead(chatId: string, unreadSince: string | undefined): void {
  useEffect(() => {
    if (unreadSince === undefined) return
    const mark = () => {
      if (document.visibilityState === "visible") void markChatRead(chatId)
    }
    mark()
    document.addEventListener("visibilitychange", mark)
    return () => document.removeEventListener("visibilitychange", mark)
  }, [chatId, unreadSince])
}

// Screens other than the chat are loaded when first shown.
const AssistantPage = later(
  async () => (await import("../features/assistants/AssistantPage.tsx")).AssistantPage,
)
const AssistantPreview = later(
  async () => (await import("../features/chat/preview/AssistantPreview.tsx")).AssistantPreview,
)
const AssistantsPage = later(
  async () => (await import("../features/assistants/AssistantsPage.tsx")).AssistantsPage,
)
const NewAssistantPage = later(
  async () => (await import("../features/assistants/AssistantPage.tsx")).NewAssistantPage,
)
const FolderScreen = later(async () => (await import("../features/folders/FolderPage.tsx")).FolderScreen)
const FoldersPage = later(async () => (await import("../features/folders/FoldersPage.tsx")).FoldersPage)
const InboxPage = later(async () => (await import("../features/notifications/InboxPage.tsx")).InboxPage)
const ProjectPage = later(async () => (await import("../features/projects/ProjectPage.tsx")).ProjectPage)
const ProjectsPage = later(async () => (await import("../features/projects/ProjectsPage.tsx")).ProjectsPage)
const SettingsScreen = later(async () => (await import("./settings/SettingsScreen.tsx")).SettingsScreen)
const WorkScreens = later(async () => (await import("./WorkScreens.tsx")).WorkScreens)

/** Selects the screen for an address. */
export function Screens() {
  const [location] = useLocation()
  const [search] = useSearchParams()
  return (
    <Suspense fallback={<Loading />}>
      <Switch>
        <Route path={routes.newChat}>
          {search.has("text") ? (
            <PrefilledChat text={search.get("text") ?? ""} />
          ) : (
            <FirstRun isNamed={["folder", "files", "assistant", "project"].some((name) => search.has(name))}>
              <NewChat
                key={[...search].filter(([name]) => name !== documentParameter).join()}
                folderId={search.get("folder") ?? undefined}
                fileIds={search.get("files")?.split(",")}
                assistantId={search.get("assistant") ?? undefined}
                projectId={search.get("project") ?? undefined}
              />
            </FirstRun>
          )}
        </Route>
        <Route path="/inter/chat/:chatId">
          {({ chatId }) => <ChatScreen key={chatId} chatId={chatId} />}
        </Route>
        <Route path={routes.assistants}>
          <AssistantsPage />
        </Route>
        <Route path={routes.newAssistant}>
          <NewAssistantPage
            key={search.get("template")}
            template={search.get("template") ?? undefined}
            Preview={AssistantPreview}
          />
        </Route>
        <Route path="/assistants/:id">
          {({ id }) => <AssistantPage key={id} id={id} Preview={AssistantPreview} />}
        </Route>
        <Route path={routes.folders}>
          <FoldersPage creating={search.has("new")} />
        </Route>
        <Route path="/dc/vector/:vectorId">
          {({ vectorId }) => (
            <FolderScreen
              key={vectorId}
              folderId={vectorId}
              tab={search.get("tab") ?? undefined}
              status={search.get("status") ?? undefined}
              facts={search.get("facts") ?? undefined}
            />
          )}
        </Route>
        <Route path={routes.projects}>
          <ProjectsPage creating={search.has("new")} />
        </Route>
        <Route path="/projects/:id">
          {({ id }) => <ProjectPage key={id} id={id} ChatRow={ConversationRow} />}
        </Route>
        <Route path={routes.inbox}>
          <InboxPage of={{ category: search.get("category") }} channel={undefined} Waiting={WaitingCalls} />
        </Route>
        {inboxAreaIds.map((id) => (
          <Route key={id} path={areas[id].route}>
            <InboxPage
              of={{ area: id }}
              channel={search.get("channel") ?? undefined}
              Waiting={WaitingCalls}
            />
          </Route>
        ))}
        <Route path={/^\/work(box|\/.+)?$/}>
          <WorkScreens search={search} />
        </Route>
        <Route path="/settings/*?">
          <SettingsScreen path={location.replace(/\/$/, "")} wanted={search.get("at") ?? undefined} />
        </Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </Suspense>
  )
}

function Loading() {
  return (
    <div className="m-auto text-faint">
      <Spinner label={t("common:loading")} />
    </div>
  )
}
