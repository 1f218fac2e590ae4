/** One for the page: what a channel posts it does not hear itself, so a tab is told by others alone. */
const tabs = new BroadcastChannel("edgeposture.session");

/** Tells the other tabs of this browser, which send the same cookie, that somebody signed in or out. */
export function tellOtherTabs(): void {
  tabs.postMessage("changed");
}

/** Hears what other tabs tell, until the function it gives is called. */
export function hearOtherTabs(onChanged: () => void): () => void {
  tabs.addEventListener("message", onChanged);
  return () => tabs.removeEventListener("message", onChanged);
}
