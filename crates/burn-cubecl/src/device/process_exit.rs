//! The end of a process whose devices still have work.
//!
//! A device has a thread, which may be in the driver when `main` returns: it compiles a kernel, say. Drivers
//! free what they have as the process ends, and NVIDIA's Vulkan driver and CUDA compiler then crash under the
//! thread. So the end waits until what is queued is with the driver and done, and nothing comes to the driver
//! after: software Vulkan has a thread of its own, which compiles a kernel when its turn comes, and crashes
//! too.

use crate::device::warning::warn;
use burn_backend::block_on;
use cubecl::prelude::{ComputeClient, Runtime};
use std::convert::Infallible;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

/// Has the thread of a device run a task.
type Run = Box<dyn FnOnce(Box<dyn FnOnce() + Send>) + Send>;

/// Threads of the open devices.
static THREADS: Mutex<Vec<Run>> = Mutex::new(Vec::new());

/// Has the end of the process wait for the thread of a device, whose driver is loaded and has compiled
/// code of the device. A thread that rests does no more, so each may be waited for once.
pub fn wait_for<R: Runtime>(client: ComputeClient<R>) {
    wait_for_thread(Box::new(move |rest| {
        let device = client.clone();
        // The thread waits for the driver itself: between two tasks of its queue others could launch.
        _ = client.exclusive(move || {
            // A device that fails has nothing to wait for.
            _ = block_on(device.sync());
            rest();
        });
    }));
}

/// Has the end of the main thread wait for the threads: its destructors run before all that is registered.
/// Software Vulkan registers what it frees as it compiles, which may be after the last call of a program.
/// Called by the loader before `main`, since devices are opened by other threads too.
#[cfg(target_os = "linux")]
extern "C" fn wait_with_the_main_thread() {
    struct MainThread;

    impl Drop for MainThread {
        fn drop(&mut self) {
            drain_device_threads();
        }
    }

    thread_local! {
        static MAIN_THREAD: MainThread = const { MainThread };
    }
    // SAFETY: both only return numbers.
    if unsafe { libc::gettid() == libc::getpid() } {
        MAIN_THREAD.with(|_| ());
    }
}

// SAFETY: the section holds functions that the loader calls once each. This one needs nothing of the
// library's run time, and does not unwind.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = wait_with_the_main_thread;

fn wait_for_thread(run: Run) {
    THREADS.lock().unwrap_or_else(PoisonError::into_inner).push(run);
    exit_waits_for_devices();
}

/// Has the end wait before anything that was registered until now: what a library frees that was loaded after
/// its device was opened.
pub fn exit_waits_for_devices() {
    // Exit handlers run in reverse order of registration. SAFETY: `drain_device_threads` may be called at any
    // time, by any thread, and does not unwind. Where it cannot be registered, nothing waits.
    #[cfg(unix)]
    unsafe {
        libc::atexit(drain_device_threads);
    }
}

/// Returns when all threads rest, which they do until the process is no more. The next call has nothing to
/// wait for.
#[cfg_attr(not(unix), expect(dead_code, reason = "threads end before drivers do"))]
extern "C" fn drain_device_threads() {
    // A device that does not answer by then does not delay the exit.
    const LONGEST: Duration = Duration::from_secs(10);
    let threads = std::mem::take(&mut *THREADS.lock().unwrap_or_else(PoisonError::into_inner));
    let (working, all_drained) = channel::<Infallible>();
    for run in threads {
        let working = working.clone();
        let task = Box::new(move || {
            drop(working);
            loop {
                std::thread::park();
            }
        });
        // Its queue may be full: only a thread of its own may wait for it.
        _ = Builder::new().spawn(move || run(task));
    }
    drop(working);
    if all_drained.recv_timeout(LONGEST) == Err(RecvTimeoutError::Timeout) {
        warn("a device still works as the process ends");
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use burn_conformance::again::again;

    #[test]
    fn the_end_waits_for_what_is_queued() {
        if let Some(said) = again("the_end_waits_for_what_is_queued", &[]) {
            // On Linux, what a driver registered after the device was opened waits too.
            let expected = match cfg!(target_os = "linux") {
                true => "warning: first\nwarning: second\nwarning: driver ends\n",
                false => "warning: first\nwarning: second\n",
            };
            return assert!(said.contains(expected), "{said}");
        }
        extern "C" fn end_of_driver() {
            warn("driver ends");
        }
        type Task = Box<dyn FnOnce() + Send>;
        let (queue, tasks) = channel::<Task>();
        std::thread::spawn(move || tasks.into_iter().for_each(|task| task()));
        // Two devices, of which one is gone.
        let (gone, _) = channel::<Task>();
        for queue in [queue.clone(), gone] {
            wait_for_thread(Box::new(move |task| _ = queue.send(task)));
        }
        for text in ["first", "second"] {
            let say = move || {
                std::thread::sleep(Duration::from_millis(300));
                warn(text);
            };
            queue.send(Box::new(say)).unwrap();
        }
        // SAFETY: the function may be called at any time, and does not unwind.
        unsafe { libc::atexit(end_of_driver) };
    }
}
