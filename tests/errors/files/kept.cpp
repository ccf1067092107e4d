int main(void) { return 0; }  /* written by hand */
