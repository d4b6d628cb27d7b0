import {
  clipboard,
  Menu,
  type BrowserWindow,
  type ContextMenuParams,
  type MenuItemConstructorOptions,
} from "electron"
import type { Strings } from "./strings/strings.ts"

const separator: MenuItemConstructorOptions = { type: "separator" }

/** Adds the context menu with spelling suggestions and actions for text and links. */
export function addContextMenu(window: BrowserWindow, strings: () => Strings): void {
  const { webContents } = window
  const spelling = {
    replace: (word: string) => webContents.replaceMisspelling(word),
    learn: (word: string) => webContents.session.addWordToSpellCheckerDictionary(word),
  }
  webContents.on("context-menu", (_event, params) => {
    const items = contextItems(strings(), params, spelling)
    if (items.length > 0) Menu.buildFromTemplate(items).popup({ window })
  })
}

interface Spelling {
  replace(word: string): void
  learn(word: string): void
}

function contextItems(
  t: Strings,
  params: ContextMenuParams,
  spelling: Spelling,
): MenuItemConstructorOptions[] {
  const groups = [
    params.misspelledWord === "" ? [] : spellingItems(t, params, spelling),
    params.linkURL === "" ? [] : [{ label: t("copyLink"), click: () => clipboard.writeText(params.linkURL) }],
    textItems(t, params),
  ]
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, index) => (index === 0 ? group : [separator, ...group]))
}

function spellingItems(
  t: Strings,
  params: ContextMenuParams,
  spelling: Spelling,
): MenuItemConstructorOptions[] {
  const { misspelledWord: word, dictionarySuggestions: suggestions } = params
  return [
    ...(suggestions.length === 0
      ? [{ label: t("noSuggestions"), enabled: false }]
      : suggestions.map((label) => ({ label, click: () => spelling.replace(label) }))),
    separator,
    { label: t("learnWord", { word }), click: () => spelling.learn(word) },
  ]
}

function textItems(t: Strings, { isEditable, editFlags, selectionText }: ContextMenuParams) {
  const copy: MenuItemConstructorOptions = { role: "copy", label: t("copy"), enabled: editFlags.canCopy }
  if (!isEditable) return selectionText.trim() === "" ? [] : [copy]
  return [
    { role: "cut" as const, label: t("cut"), enabled: editFlags.canCut },
    copy,
    { role: "paste" as const, label: t("paste"), enabled: editFlags.canPaste },
    { role: "selectAll" as const, label: t("selectAll"), enabled: editFlags.canSelectAll },
  ]
}
