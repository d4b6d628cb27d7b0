import type { notices as english } from "../../../../shared/sentences/notices.ts"
import { translation } from "../../translation.ts"

export const notices = translation<typeof english>()({
  accounts_left_out:
    "Die verbundenen Konten des Assistenten wurden weggelassen: Der API-Schlüssel hat eingeschränkte Rechte.",
  attachment_in_part:
    "{{name}} ist zu lang, um dem Modell ganz übergeben zu werden: Es erhält den Anfang, die Gliederung und was zur Frage passt. Bitten Sie um eine Zusammenfassung, damit alles gelesen wird.",
  attachment_unread: "{{name}} wurde nicht gelesen. {{what}}",
  call_refused:
    "Es konnte niemand gefragt werden, ob diese Tools verwendet werden dürfen, deshalb wurden sie nicht verwendet: {{tools}}.",
  content_filter: "Die Antwort endet hier: Der Inhaltsfilter des Modellservers hat sie abgebrochen.",
  context_full: "Die Antwort endet hier: Die Ergebnisse der Tools füllen das Kontextfenster des Modells.",
  embedding_elsewhere:
    "Nur nach Stichwörtern gesucht: Das bleibt auf diesem Computer, und das Einbettungsmodell läuft auf einem Server.",
  embedding_unavailable:
    "Nur nach Stichwörtern gesucht: Das Einbettungsmodell, das Textstellen nach Bedeutung findet, hat nicht geantwortet.",
  empty_answer:
    "Das Modell hat ohne Antwort geendet. Fragen Sie erneut, mit anderen Worten oder mit einem anderen Modell.",
  file_being_read: "{{name}} wurde bei dieser Antwort noch gelesen: Der Inhalt fehlt hier möglicherweise.",
  files_being_read:
    "{{count, number}} Dateien wurden bei dieser Antwort noch gelesen: Ihr Inhalt fehlt hier möglicherweise.",
  folders_left_out:
    "Die Ordner des Assistenten wurden weggelassen: Dem API-Schlüssel fehlt die Berechtigung folders.",
  index_rebuilding: "Der Suchindex wird aufgebaut; einige Textstellen sind noch nicht auffindbar.",
  filter_matches_no_file: "Keine Datei in den ausgewählten Ordnern passt zum Filter.",
  message_left_out:
    "Die älteste Nachricht wurde weggelassen: Der Chat ist länger als das Kontextfenster des Modells.",
  messages_left_out:
    "Die {{count, number}} ältesten Nachrichten wurden weggelassen: Der Chat ist länger als das Kontextfenster des Modells.",
  model_loading: "{{model}} wird in den Arbeitsspeicher geladen.",
  model_missing: "Das dafür ausgewählte Modell ist nicht mehr vorhanden, deshalb antwortet {{model}}.",
  model_unavailable: "{{what}} Bis dahin sehen Sie hier die Textstellen, die am besten passen.",
  no_vision:
    "{{model}} sieht keine Bilder und erhielt deshalb den darin erkannten Text. Wählen Sie ein Modell, das Bilder sieht, damit es sie ansieht.",
  no_embedding_model:
    "Nur nach Stichwörtern gesucht: Um Textstellen auch nach Bedeutung zu finden, laden Sie unter Einstellungen › Weitere Modelle ein Einbettungsmodell herunter.",
  no_model:
    "Es ist kein Modell installiert, deshalb sehen Sie hier die Textstellen, die am besten passen. Fügen Sie unter Einstellungen › Weitere Modelle ein Modell hinzu.",
  no_passages: "Nichts in den ausgewählten Ordnern passt zu dieser Nachricht.",
  nothing_in_filter: "In den Dateien, die zum Filter passen, gibt es dazu nichts: {{count, number}}.",
  notes_by_file:
    "Das sind die Notizen zu jeder Datei, wie sie sind: {{model}} hat sie nicht zu einer Antwort zusammengefügt. Fragen Sie zu weniger Dateien, oder wählen Sie ein anderes Modell.",
  notes_by_file_refused:
    "Das sind die Notizen zu jeder Datei, wie sie sind: Sie ließen sich nicht zu einer Antwort zusammenfügen. {{what}}",
  passages_left_out:
    "Die Nachricht lässt im Kontextfenster des Modells keinen Platz für Textstellen aus den Ordnern. Kürzen Sie sie.",
  pictures_left_out:
    "{{count, number}} Bilder wurden weggelassen: Einem Modell werden die {{most, number}} neuesten eines Chats gezeigt.",
  not_read_whole:
    "Alles zu lesen erfordert ein Modell, an das es gesendet werden darf. Das hier sind die Textstellen, die am besten passen, nicht alles.",
  reading_whole: "Für diese Antwort wird alles gelesen, wonach gefragt wird: {{characters, number}} Zeichen.",
  reranker_late:
    "Nur einige Textstellen wurden besser geordnet: Das Reranking-Modell hat zu lange gebraucht.",
  reranker_unavailable:
    "Die Textstellen behalten die Reihenfolge der Suche: Das Reranking-Modell hat nicht geantwortet.",
  stays_here:
    "Das bleibt auf diesem Computer, deshalb wurde {{model}}, das auf einem Server läuft, nicht gefragt. Das hier sind die Textstellen, die am besten passen; wählen Sie ein Modell auf diesem Computer, damit es antwortet.",
  stays_here_now:
    "Die Antwort endet hier: Das Gelesene bleibt jetzt auf diesem Computer, deshalb erhält {{model}}, das auf einem Server läuft, nichts weiter davon. Wählen Sie ein Modell auf diesem Computer, um fortzufahren.",
  table_cut:
    "Die Tabelle endet hier: {{count, number}} weitere Zeilen wären zu viel für eine Antwort. Fragen Sie zu weniger Dateien, um alle zu erhalten.",
  too_much_for_whole:
    "Diese Antwort stützt sich auf die Textstellen, die am besten passen, nicht auf alles: Das wären {{characters, number}} Zeichen oder mehr. Fragen Sie zu weniger Dateien, damit sie vollständig gelesen werden.",
  tool_limit:
    "Die Antwort endet hier: Sie hat so viele Tool-Aufrufe oder so viel Zeit dafür gebraucht, wie für eine Antwort erlaubt ist.",
  tools_left_out:
    "Das Tool {{name}} wurde weggelassen: Dem Modell kann seine Beschreibung nicht übergeben werden.",
})
