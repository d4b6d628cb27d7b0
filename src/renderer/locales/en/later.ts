import { fileReasons as reasons } from "../../../shared/contract/file-reasons.ts"
import account from "./account.json"
import assistants from "./assistants.json"
import audit from "./audit.json"
import automations from "./automations.json"
import filing from "./filing.json"
import firstRun from "./first-run.json"
import folders from "./folders.json"
import imports from "./imports.json"
import integrations from "./integrations.json"
import longChats from "./long-chats.json"
import memory from "./memory.json"
import models from "./models.json"
import narrowing from "./narrowing.json"
import overview from "./overview.json"
import pages from "./pages.json"
import posting from "./posting.json"
import privacy from "./privacy.json"
import projects from "./projects.json"
import provider from "./provider.json"
import questions from "./questions.json"
import quotas from "./quotas.json"
import reading from "./reading.json"
import saving from "./saving.json"
import search from "./search.json"
import settings from "./settings.json"
import support from "./support.json"
import templates from "./templates.json"
import webSearch from "./web-search.json"
import widgets from "./widgets.json"

/** Strings of parts that are loaded when they are first shown, by feature; loaded with them (`lib/later.ts`). */
export const later = {
  account,
  assistants,
  audit,
  automations,
  filing,
  firstRun,
  folders,
  imports,
  integrations,
  longChats,
  memory,
  models,
  narrowing,
  overview,
  pages,
  posting,
  projects,
  provider,
  questions,
  quotas,
  reading,
  reasons,
  privacy,
  saving,
  search,
  settings,
  support,
  templates,
  webSearch,
  widgets,
}
