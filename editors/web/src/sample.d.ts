/** Files of ../../../examples as text; build.mjs inserts them. */
declare module 'sample:*' {
  const text: string;
  export default text;
}
