/**
 * Elements, made without HTML: text gets into the page as text and in no other way, whoever wrote it.
 */

type Properties<T extends keyof HTMLElementTagNameMap> = Partial<
  Pick<
    HTMLElementTagNameMap[T],
    keyof HTMLElementTagNameMap[T] & ('className' | 'title' | 'onclick' | 'type')
  >
>;

export function element<T extends keyof HTMLElementTagNameMap>(
  name: T,
  properties: Properties<T> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[T] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children); // a string becomes a text node
  return made;
}

export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

/** A shadow root of `host`: there the editor's styles are adopted, which needs no style element. */
export function shadowOf(host: HTMLElement): ShadowRoot {
  return host.shadowRoot ?? host.attachShadow({ mode: 'open' });
}
