// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One inference between the two marker instructions of shared/tools/count, after one to warm up.
#include "../models/programs/program.h"

int main(int argc, char** argv) {
  program::Session session;
  session.open(program::parse(argc, argv));
  session.run();
  __asm__ volatile("mov x27, x27" ::: "memory");
  const macec_status status =
      macec_run(session.context, session.dims.empty() ? nullptr : session.dims.data(),
                session.in.data(), session.out.data());
  __asm__ volatile("mov x28, x28" ::: "memory");
  session.check(status, "run");
  return 0;
}
