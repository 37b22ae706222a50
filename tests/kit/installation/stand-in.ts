/** The same object, but for the members that are replaced. */
export function stand<T extends object>(target: T, replaced: Record<string, unknown>): T {
  return new Proxy(target, {
    get(_target, name) {
      if (typeof name === 'string' && name in replaced) return replaced[name];
      const member = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
