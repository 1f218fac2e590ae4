const NAME = "edgeposture.session";

/** Tells the other tabs of this browser, which send the same cookie, that somebody signed in or out. */
export function tellOtherTabs(): void {
  const tabs = new BroadcastChannel(NAME);
  tabs.postMessage("changed");
  tabs.close();
}

/** Hears what other tabs tell, until the function it gives is called. */
export function hearOtherTabs(onChanged: () => void): () => void {
  const tabs = new BroadcastChannel(NAME);
  tabs.addEventListener("message", onChanged);
  return () => tabs.close();
}
