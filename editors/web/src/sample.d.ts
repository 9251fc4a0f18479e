/** Files of ../../../examples as text; build.mjs puts them in. */
declare module 'sample:*' {
  const text: string;
  export default text;
}
