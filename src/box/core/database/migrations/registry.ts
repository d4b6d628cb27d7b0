import { accounts } from "./001-accounts.ts"
import { folders } from "./002-folders.ts"
import { conversations } from "./003-conversations.ts"
import { notifications } from "./004-notifications.ts"
import { assistants } from "./005-assistants.ts"
import { disabledUsers } from "./006-disabled-users.ts"
import { chats } from "./007-chats.ts"
import { memories } from "./008-memories.ts"
import { approvals } from "./009-approvals.ts"
import { answerAssistants } from "./010-answer-assistants.ts"
import { waitingPages } from "./011-waiting-pages.ts"
import { toolServers } from "./012-tool-servers.ts"
import { supportTickets } from "./013-support-tickets.ts"
import { chunkerVersions } from "./014-chunker-versions.ts"
import { delegatedApprovals } from "./015-delegated-approvals.ts"
import { fileReasons } from "./016-file-reasons.ts"
import { egress } from "./017-egress.ts"
import { toolIdentities } from "./018-tool-identities.ts"
import { boxNews } from "./019-box-news.ts"
import { fileNames } from "./020-file-names.ts"
import { switchedOffFunctions } from "./021-switched-off-functions.ts"
import { sessionSecrets } from "./022-session-secrets.ts"
import { readLabels } from "./023-read-labels.ts"
import { notificationSenders } from "./024-notification-senders.ts"
import { relativePaths } from "./025-relative-paths.ts"
import { unfinishedChanges } from "./026-unfinished-changes.ts"
import { answerPieces } from "./027-answer-pieces.ts"
import { removedFolders } from "./028-removed-folders.ts"
import { folderMounts } from "./029-folder-mounts.ts"
import { changedFiles } from "./030-changed-files.ts"
import { fileHashes } from "./031-file-hashes.ts"
import { removedChats } from "./032-removed-chats.ts"
import { deletedTexts } from "./033-deleted-texts.ts"
import { folderInodes } from "./034-folder-inodes.ts"
import { approvalSentences } from "./035-approval-sentences.ts"
import { queuedQuestions } from "./036-queued-questions.ts"
import { deletions } from "./037-deletions.ts"
import { changedQuestions } from "./038-changed-questions.ts"
import { returningFiles } from "./039-returning-files.ts"
import { listCounts } from "./040-list-counts.ts"
import { modelServers } from "./041-model-servers.ts"
import { chosenModels } from "./042-chosen-models.ts"
import { foldersThatStay } from "./043-folders-that-stay.ts"
import { readNotes } from "./044-read-notes.ts"
import { readingOfQuestions } from "./045-reading-of-questions.ts"
import { textLengths } from "./046-text-lengths.ts"
import { askedFiles } from "./047-asked-files.ts"
import { tablesOfQuestions } from "./048-tables-of-questions.ts"
import { untoldAnswers } from "./049-untold-answers.ts"
import { tablesOfMessages } from "./050-tables-of-messages.ts"
import { projects } from "./051-projects.ts"
import { chatImports } from "./052-chat-imports.ts"
import { webPages } from "./053-web-pages.ts"
import { inbox } from "./055-inbox.ts"
import { importProgress } from "./056-import-progress.ts"
import { tokensOfParts } from "./057-tokens-of-parts.ts"
import { toolsOfChats } from "./058-tools-of-chats.ts"
import { orderOfNames } from "./059-order-of-names.ts"
import { deletionsTogether } from "./060-deletions-together.ts"
import { objectsOfFiles } from "./061-objects-of-files.ts"
import { providerAccounts } from "./062-provider-accounts.ts"
import { auditLog } from "./063-audit-log.ts"
import { quotas } from "./064-quotas.ts"
import { begunTurns } from "./065-begun-turns.ts"
import { automations } from "./066-automations.ts"
import { questions } from "./067-questions.ts"
import { dryRuns } from "./068-dry-runs.ts"
import { filing } from "./069-filing.ts"
import { timedAutomations } from "./070-timed-automations.ts"
import { arrivedContent } from "./071-arrived-content.ts"
import { generatedFiles } from "./072-generated-files.ts"
import { heldByRestore } from "./073-held-by-restore.ts"
import { heldKeys } from "./074-held-keys.ts"
import { generatedForQuestions } from "./075-generated-for-questions.ts"
import { projectsOfScopedKeys } from "./076-projects-of-scoped-keys.ts"
import { wordsOfScopedKeys } from "./079-words-of-scoped-keys.ts"
import { datesOfFiles } from "./080-dates-of-files.ts"
import { rewrittenQuestions } from "./081-rewritten-questions.ts"
import { skippedFiles } from "./082-skipped-files.ts"
import { readersOfFiles } from "./083-readers-of-files.ts"
import { hiddenParts } from "./084-hidden-parts.ts"
import { imagesOfFolders } from "./085-images-of-folders.ts"
import { descriptionsOfImages } from "./086-descriptions-of-images.ts"

export interface Migration {
  name: string
  /** SQLite's migrations can call `dataDirectory()`, which returns the database's directory. */
  sql: string
}

/**
 * In order. A database stores how many of them were applied (`user_version`; on a server, `schemaVersion`). Never change a released
 * migration. `postgres/schema.ts` contains the schema from before PostgreSQL was supported; `postgres/migrations/` contains migrations that
 * are worded differently there.
 */
export const migrations: readonly Migration[] = [
  { name: "accounts", sql: accounts },
  { name: "folders", sql: folders },
  { name: "conversations", sql: conversations },
  { name: "notifications", sql: notifications },
  { name: "assistants", sql: assistants },
  { name: "disabled users", sql: disabledUsers },
  { name: "chats", sql: chats },
  { name: "memories", sql: memories },
  { name: "approvals", sql: approvals },
  { name: "answer assistants", sql: answerAssistants },
  { name: "waiting pages", sql: waitingPages },
  { name: "tool servers", sql: toolServers },
  { name: "support tickets", sql: supportTickets },
  { name: "chunker versions", sql: chunkerVersions },
  { name: "delegated approvals", sql: delegatedApprovals },
  { name: "file reasons", sql: fileReasons },
  { name: "egress", sql: egress },
  { name: "tool identities", sql: toolIdentities },
  { name: "box news", sql: boxNews },
  { name: "file names", sql: fileNames },
  { name: "switched-off functions", sql: switchedOffFunctions },
  { name: "session secrets", sql: sessionSecrets },
  { name: "read labels", sql: readLabels },
  { name: "notification senders", sql: notificationSenders },
  { name: "relative paths", sql: relativePaths },
  { name: "unfinished changes", sql: unfinishedChanges },
  { name: "answer pieces", sql: answerPieces },
  { name: "removed folders", sql: removedFolders },
  { name: "folder mounts", sql: folderMounts },
  { name: "changed files", sql: changedFiles },
  { name: "file hashes", sql: fileHashes },
  { name: "removed chats", sql: removedChats },
  { name: "deleted texts", sql: deletedTexts },
  { name: "folder inodes", sql: folderInodes },
  { name: "approval sentences", sql: approvalSentences },
  { name: "queued questions", sql: queuedQuestions },
  { name: "deletions", sql: deletions },
  { name: "changed questions", sql: changedQuestions },
  { name: "returning files", sql: returningFiles },
  { name: "list counts", sql: listCounts },
  { name: "model servers", sql: modelServers },
  { name: "chosen models", sql: chosenModels },
  { name: "folders that stay", sql: foldersThatStay },
  { name: "read notes", sql: readNotes },
  { name: "reading of questions", sql: readingOfQuestions },
  { name: "text lengths", sql: textLengths },
  { name: "asked files", sql: askedFiles },
  { name: "tables of questions", sql: tablesOfQuestions },
  { name: "untold answers", sql: untoldAnswers },
  { name: "tables of messages", sql: tablesOfMessages },
  { name: "projects", sql: projects },
  { name: "chat imports", sql: chatImports },
  { name: "web pages", sql: webPages },
  { name: "inbox", sql: inbox },
  { name: "import progress", sql: importProgress },
  { name: "tokens of parts", sql: tokensOfParts },
  { name: "tools of chats", sql: toolsOfChats },
  { name: "order of names", sql: orderOfNames },
  { name: "deletions together", sql: deletionsTogether },
  { name: "objects of files", sql: objectsOfFiles },
  { name: "provider accounts", sql: providerAccounts },
  { name: "audit log", sql: auditLog },
  { name: "quotas", sql: quotas },
  { name: "begun turns", sql: begunTurns },
  { name: "automations", sql: automations },
  { name: "questions", sql: questions },
  { name: "dry runs", sql: dryRuns },
  { name: "filing", sql: filing },
  { name: "timed automations", sql: timedAutomations },
  { name: "arrived content", sql: arrivedContent },
  { name: "generated files", sql: generatedFiles },
  { name: "held by restore", sql: heldByRestore },
  { name: "held keys", sql: heldKeys },
  { name: "generated for questions", sql: generatedForQuestions },
  { name: "projects of scoped keys", sql: projectsOfScopedKeys },
  { name: "counts without locks", sql: "" }, // only for PostgreSQL: SQLite has one writer at a time
  { name: "numbers after moves", sql: "" }, // only for PostgreSQL: SQLite continues after the largest number
  { name: "words of scoped keys", sql: wordsOfScopedKeys },
  { name: "dates of files", sql: datesOfFiles },
  { name: "rewritten questions", sql: rewrittenQuestions },
  { name: "skipped files", sql: skippedFiles },
  { name: "readers of files", sql: readersOfFiles },
  { name: "hidden parts", sql: hiddenParts },
  { name: "images of folders", sql: imagesOfFolders },
  { name: "descriptions of images", sql: descriptionsOfImages },
]
