import { t } from "i18next"
import { File, FolderUp, Globe, Upload, FolderX, ListChecks, MessageSquare } from "lucide-react"
import { Tabs } from "radix-ui"
import { Suspense, useState, type ReactNode } from "react"
import { Link } from "wouter"
import type { FactKind } from "../../../shared/contract/facts.ts"
import type { Folder } from "../../../shared/contract/folders.ts"
import type { FileStateFilter } from "../../data/folders/files.ts"
import { useFolder } from "../../data/folders/folders.ts"
import { describeError } from "../../lib/box.ts"
import { later } from "../../lib/later.ts"
import { navigate, splitHash } from "../../lib/navigation/hash-location.ts"
import { folderTabs, routes, type FolderTab, factKinds } from "../../lib/navigation/routes.ts"
import { Note } from "../../ui/Note.tsx"
import { EmptyState, PageHeader } from "../../ui/PageParts.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { Button, ButtonLink } from "../../ui/controls/Button.tsx"
import { Menu, MenuItem } from "../../ui/layers/Menu.tsx"
import { FolderIcon } from "../../ui/pictures/FolderIcon.tsx"
import { FolderMenu } from "./FolderMenu.tsx"
import { FolderStatus } from "./FolderStatus.tsx"
import { SearchTab } from "./SearchTab.tsx"
import { fileStateFilters } from "./files/file-states.ts"
import { FilesTab } from "./files/FilesTab.tsx"
import { type FileChooser, DropZone, useFileChooser } from "./uploads/FileChooser.tsx"
import { uploads } from "./uploads/upload-queue.ts"

/**
 * Writes the state of a page, such as a folder's open tab, into its address, so that it is restored on return. The history entry no longer
 * belongs to a document open next to the page: closing the document doesn't go back to the page's previous state.
 */
function setAddressParameters(parameters: Record<string, string | undefined>): void {
  const { path, search } = splitHash(window.location.hash)
  const next = new URLSearchParams(search)
  for (const [name, value] of Object.entries(parameters))
    if (value === undefined) next.delete(name)
    else next.set(name, value)
  navigate(next.size === 0 ? path : `${path}?${next.toString()}`, { replace: true })
}

interface PersistentTabProps {
  value: string
  isOpen: boolean
  children: ReactNode
}

/** A tab that is rendered when it is first opened and keeps its state while other tabs are open. */
function PersistentTab({ value, isOpen, children }: PersistentTabProps) {
  const [wasOpen, setWasOpen] = useState(isOpen)
  if (isOpen && !wasOpen) setWasOpen(true)
  return (
    <Tabs.Content
      value={value}
      tabIndex={-1}
      {...(wasOpen && { forceMount: true })}
      className="flex min-h-0 flex-1 flex-col data-[state=inactive]:hidden"
    >
      <Suspense>{children}</Suspense>
    </Tabs.Content>
  )
}

interface UploadButtonProps extends Pick<FileChooser, "openFiles" | "openDirectory"> {
  openWebPage: () => void
}

/** Chooses files, a whole directory or a web page to add to a folder. */
function UploadButton({ openFiles, openDirectory, openWebPage }: UploadButtonProps) {
  return (
    <Menu
      trigger={
        <Button>
          <Upload aria-hidden /> <span className="@max-md:sr-only">{t("folders:add.button")}</span>
        </Button>
      }
    >
      <MenuItem onSelect={openFiles}>
        <File aria-hidden /> {t("folders:add.files")}
      </MenuItem>
      <MenuItem onSelect={openDirectory}>
        <FolderUp aria-hidden /> {t("folders:add.directory")}
      </MenuItem>
      <MenuItem onSelect={openWebPage}>
        <Globe aria-hidden /> {t("folders:add.webPage")}
      </MenuItem>
    </Menu>
  )
}

const OverviewTab = later(async () => (await import("./overview/OverviewTab.tsx")).OverviewTab)
const WebPageDialog = later(async () => (await import("./web-pages/WebPageDialog.tsx")).WebPageDialog)
const TablesTab = later(async () => (await import("./tables/TablesTab.tsx")).TablesTab)

/** The view that the address selects. */
interface Shown {
  tab: FolderTab
  state: FileStateFilter | undefined
  /** The kind of facts shown until another is chosen. */
  firstFacts: FactKind
}

/** A folder page: its files, an overview, a trial search, and tables. Files can be dropped anywhere on it. */
function FolderPage({ folderId, ...shown }: { folderId: string } & Shown) {
  const { data: folder, error, isPending } = useFolder(folderId)
  if (isPending) {
    return (
      <div className="m-auto text-faint">
        <Spinner label={t("folders:page.loading")} />
      </div>
    )
  }
  if (error) {
    return (
      <div className="m-auto max-w-md p-6">
        <Note kind="error">{describeError(error)}</Note>
      </div>
    )
  }
  if (!folder) return <MissingFolder />
  const screen = <FolderContent folder={folder} {...shown} />
  return folder.owned ? (
    <DropZone
      invitation={t("folders:add.drop", { name: folder.name })}
      onItems={(items) => uploads.add(folder.id, items)}
    >
      {screen}
    </DropZone>
  ) : (
    screen
  )
}

const tabClasses =
  "h-9 rounded-t-md border-b-2 border-transparent px-1 text-sm text-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink focus-visible:-outline-offset-2"

function FolderContent({ folder, tab, state, firstFacts }: { folder: Folder } & Shown) {
  const { id, name, description, owned, watched, pipeline, folder: path } = folder
  const chooser = useFileChooser((items) => uploads.add(id, items))
  const [isAddingPage, setAddingPage] = useState(false)
  const [wanted, setWanted] = useState({ term: "", times: 0 })
  const openTab = (opened: FolderTab) => setAddressParameters({ tab: opened })
  const facts = [
    ...(watched ? [t("folders:page.follows", { path })] : []),
    ...(pipeline === "light" ? [t("folders:page.light")] : []),
  ]
  return (
    <section aria-label={t("folders:page.label")} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <PageHeader title={name} icon={<FolderIcon folder={folder} />}>
        <Link
          href={routes.newChatIn(id)}
          className="inline-flex h-8 items-center gap-1.5 rounded-md px-3 text-sm font-medium text-soft hover:bg-hover hover:text-ink"
        >
          <MessageSquare className="size-4" aria-hidden />{" "}
          <span className="@max-xl:sr-only">{t("folders:page.ask")}</span>
        </Link>
        <ButtonLink href={routes.newChatIn(id)} variant="quiet">
          <ListChecks aria-hidden /> <span className="@max-xl:sr-only">{t("folders:page.templates")}</span>
        </ButtonLink>
        {owned && (
          <UploadButton
            openFiles={chooser.openFiles}
            openDirectory={chooser.openDirectory}
            openWebPage={() => setAddingPage(true)}
          />
        )}
        {owned && <FolderMenu folder={folder} />}
      </PageHeader>
      {(description !== "" || facts.length > 0) && (
        <div className="px-4 pt-2.5 text-sm text-soft">
          {description !== "" && (
            <p className="line-clamp-2" title={description}>
              {description}
            </p>
          )}
          {facts.length > 0 && (
            <p className="truncate text-xs text-faint" title={watched ? path : undefined}>
              {facts.join(" · ")}
            </p>
          )}
        </div>
      )}
      <FolderStatus
        folder={folder}
        onShowFiles={(shown) => setAddressParameters({ tab: "files", status: shown })}
      />
      <Tabs.Root
        value={tab}
        onValueChange={(value) => {
          const opened = folderTabs.find((known) => known === value)
          if (opened) openTab(opened)
        }}
        className="flex min-h-0 flex-1 flex-col"
      >
        <Tabs.List aria-label={t("folders:page.label")} className="flex gap-4 border-b border-line px-4">
          <Tabs.Trigger value="files" className={tabClasses}>
            {t("folders:page.files")}
          </Tabs.Trigger>
          <Tabs.Trigger value="overview" className={tabClasses}>
            {t("folders:page.overview")}
          </Tabs.Trigger>
          <Tabs.Trigger value="search" className={tabClasses}>
            {t("folders:page.testSearch")}
          </Tabs.Trigger>
          <Tabs.Trigger value="tables" className={tabClasses}>
            {t("folders:page.tables")}
          </Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="files" tabIndex={-1} className="flex min-h-0 flex-1 flex-col">
          <FilesTab
            folder={folder}
            chooser={chooser}
            state={state}
            onState={(shown) => setAddressParameters({ status: shown })}
          />
        </Tabs.Content>
        <PersistentTab value="overview" isOpen={tab === "overview"}>
          <OverviewTab
            folder={folder}
            firstFacts={firstFacts}
            onSearch={(term) => {
              setWanted({ term, times: wanted.times + 1 })
              openTab("search")
            }}
          />
        </PersistentTab>
        <PersistentTab value="search" isOpen={tab === "search"}>
          <SearchTab key={wanted.times} folderId={id} wanted={wanted.term} />
        </PersistentTab>
        <PersistentTab value="tables" isOpen={tab === "tables"}>
          <TablesTab folderId={id} />
        </PersistentTab>
      </Tabs.Root>
      {chooser.inputs}
      {isAddingPage && (
        <Suspense>
          <WebPageDialog folder={folder} onClose={() => setAddingPage(false)} />
        </Suspense>
      )}
    </section>
  )
}

function MissingFolder() {
  return (
    <section className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={t("frame:notFound.name")} />
      <EmptyState
        icon={FolderX}
        title={t("folders:page.missing")}
        action={<ButtonLink href={routes.folders}>{t("folders:page.all")}</ButtonLink>}
      >
        {t("folders:page.missingHint")}
      </EmptyState>
    </section>
  )
}

interface FolderScreenProps {
  folderId: string
  /** The open tab. */
  tab: string | undefined
  /** Lists only files in this state. */
  status: string | undefined
  /** The kind of facts that the overview shows first. */
  facts: string | undefined
}

/** The folder that the address names. */
export const FolderScreen = ({ folderId, tab, status, facts }: FolderScreenProps) => (
  <FolderPage
    folderId={folderId}
    tab={folderTabs.find((known) => known === tab) ?? "files"}
    state={fileStateFilters.find((known) => known === status)}
    firstFacts={factKinds.find((known) => known === facts) ?? "deadlines"}
  />
)
