# What an optimized build checks for itself: the stack's guard, sizes of buffers in calls of the C library, and symbols
# bound before main, so that nothing may be written there later. Other builds have flags chosen for what they look for.
include(CheckPIESupported)
check_pie_supported() # programs are position independent, whatever the compiler's default is

add_compile_options("$<$<CONFIG:Release>:-fstack-protector-strong;-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
add_link_options("$<$<CONFIG:Release>:-Wl,-z,relro;-Wl,-z,now>")

# LACUNA_BOUNDS: the standard library checks the bounds of its containers. For code that waits for others; the loops of
# a fit, which this would slow down, go without.
set(LACUNA_BOUNDS $<$<CONFIG:Release>:_GLIBCXX_ASSERTIONS>)

# LACUNA_UNGUARDED: for the inner loops, which read nothing that others wrote.
set(LACUNA_UNGUARDED $<$<CONFIG:Release>:-fno-stack-protector>)
