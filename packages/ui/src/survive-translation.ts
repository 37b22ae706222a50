/** The element that a translator put in the place of a text. */
const standIns = new WeakMap<Node, Element>();

/** The child of `parent` that is, contains or stands for a node which React put there; null if it is gone. */
function childFor(parent: Node, node: Node): Node | null {
  let at: Node | null = parent.contains(node) ? node : (standIns.get(node) ?? null);
  while (at !== null && at.parentNode !== parent) at = at.parentNode;
  return at;
}

/**
 * Lets the app go on when the browser or an extension translates its page. Translators put texts into elements of their own, or
 * replace them by those; React then fails to remove a text or to insert before it, and the screen is lost (facebook/react#11538).
 * Here both find the translator's element, and a text that React changes is changed there, too.
 */
export function surviveTranslation(): void {
  const { removeChild, insertBefore } = Node.prototype;
  /** Removes a node with the translator's elements that are empty then. */
  const removeInside = (root: Node, node: Node) => {
    const parent = node.parentNode as Node;
    removeChild.call(parent, node);
    if (parent !== root && !parent.hasChildNodes()) removeInside(root, parent);
  };
  Node.prototype.removeChild = function <T extends Node>(this: Node, child: T): T {
    if (child.parentNode === this) return removeChild.call(this, child) as T;
    const standIn = standIns.get(child);
    if (this.contains(child)) removeInside(this, child);
    else if (standIn && this.contains(standIn)) removeInside(this, standIn);
    return child;
  };
  Node.prototype.insertBefore = function <T extends Node>(this: Node, node: T, before: Node | null): T {
    if (before === null || before.parentNode === this) return insertBefore.call(this, node, before) as T;
    return insertBefore.call(this, node, childFor(this, before)) as T;
  };
  const observer = new MutationObserver((records) => {
    for (const { type, target, removedNodes, addedNodes } of records) {
      const [text] = removedNodes;
      const [element] = addedNodes;
      if (type === 'characterData') {
        const standIn = target.isConnected ? undefined : standIns.get(target);
        if (standIn) standIn.textContent = target.nodeValue;
      } else if (text instanceof Text && element instanceof HTMLElement && element.tagName === 'FONT') {
        standIns.set(text, element);
        observer.observe(text, { characterData: true });
      }
    }
  });
  observer.observe(document.documentElement, { childList: true, subtree: true });
}
