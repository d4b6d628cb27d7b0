import account from "./account.json"
import areas from "./areas.json"
import assistants from "./assistants.json"
import audit from "./audit.json"
import automations from "./automations.json"
import chat from "./chat.json"
import common from "./common.json"
import conversations from "./conversations.json"
import desktop from "./desktop.json"
import filing from "./filing.json"
import firstRun from "./first-run.json"
import folders from "./folders.json"
import format from "./format.json"
import frame from "./frame.json"
import imports from "./imports.json"
import integrations from "./integrations.json"
import longChats from "./long-chats.json"
import memory from "./memory.json"
import models from "./models.json"
import narrowing from "./narrowing.json"
import notifications from "./notifications.json"
import overview from "./overview.json"
import pages from "./pages.json"
import passages from "./passages.json"
import posting from "./posting.json"
import projects from "./projects.json"
import provider from "./provider.json"
import questions from "./questions.json"
import quotas from "./quotas.json"
import reading from "./reading.json"
import reasons from "./reasons.json"
import privacy from "./privacy.json"
import { sentences } from "./sentences/sentences.ts"
import saving from "./saving.json"
import search from "./search.json"
import settings from "./settings.json"
import support from "./support.json"
import tools from "./tools.json"
import templates from "./templates.json"
import webSearch from "./web-search.json"
import widgets from "./widgets.json"

/** All strings of the page, by feature. */
export const de = {
  account,
  areas,
  assistants,
  audit,
  automations,
  chat,
  common,
  conversations,
  desktop,
  filing,
  firstRun,
  folders,
  format,
  frame,
  imports,
  integrations,
  longChats,
  memory,
  models,
  narrowing,
  notifications,
  overview,
  pages,
  passages,
  posting,
  projects,
  provider,
  questions,
  quotas,
  reading,
  reasons,
  privacy,
  sentences: { ...sentences, reasons },
  saving,
  search,
  settings,
  support,
  tools,
  templates,
  webSearch,
  widgets,
}
